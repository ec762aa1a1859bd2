"""Draws the figures of docs/reports/performance-details.md with matplotlib, and writes them as SVG files next to the records."""

import matplotlib
import page

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

# The same records give the same files, with letters as text.
pyplot.rcParams.update({"svg.hashsalt": "broadaxe", "svg.fonttype": "none", "axes.grid": True, "grid.alpha": 0.3})


def save(figure, name):
    path = page.RECORDS / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)
    path.write_text("".join(line.rstrip() + "\n" for line in path.read_text().splitlines()))
    print(path)


def workloads(rows, name, title):
    """Draws how many times the limit Broadaxe and each peer take, a line for each workload, the slowest last."""
    rows = [(row.get("broadaxe", "out"), row) for row in rows if row.limit]
    rows = sorted(((own["min_us"] / row.limit, row) for own, row in rows if own), key=lambda pair: -pair[0])
    figure, axes = pyplot.subplots(figsize=(9, 1.5 + 0.2 * len(rows)))
    for engine in page.engines([row for _, row in rows], "out"):
        points = [(row.get(engine, "out"), at, row.limit) for at, (_, row) in enumerate(rows)]
        points = [(min(series["min_us"] / limit, 100), at) for series, at, limit in points if series]
        axes.plot(*zip(*points), "o", markersize=4, label=engine)
    own = [times for times, _ in rows]
    axes.hlines(range(len(rows)), [1] * len(rows), own, color="black")
    axes.plot(own, range(len(rows)), "D", color="black", markersize=5, label="Broadaxe")
    axes.axvline(1, color="black", linewidth=1)
    axes.set(xscale="log", xlim=(0.5, 110), ylim=(-1, len(rows) + 2), title=title, yticks=range(len(rows)))
    axes.set_xticks([0.5, 1, 2, 5, 10, 20, 50, 100], ["0.5", "limit", "2", "5", "10", "20", "50", "100"])
    axes.set_yticklabels([row.name for _, row in rows])
    axes.set_xlabel(f"time as a multiple of the limit; the target is {page.ALLOWED}; 100 is 100 and more")
    axes.legend(ncols=4, loc="upper right")
    save(figure, name)


def sweep(name, section):
    lines, place = section["rows"], page.place(section)
    figure, axes = pyplot.subplots(figsize=(9, 4.5))
    if name == "threads":
        for one, two in zip(lines[::2], lines[1::2]):
            shares = [(count, shared / us) for (count, us), (_, shared) in zip(one["points"], two["points"])]
            axes.plot(*zip(*shares), "o-", markersize=3, label=one["name"].removesuffix(", 1 thread"))
        for level, says in ((1, "as fast as one thread"), (1 / page.FASTER, f"{page.FASTER} times faster")):
            axes.axhline(level, color="black", linewidth=1, linestyle=":", label=says)
        axes.set(xscale="log", xlabel="elements", ylabel="time of two threads / time of one", title=place)
    else:
        for line in lines:
            style = "--" if line["name"].endswith("(traffic)") else "o-"
            axes.plot(*zip(*line["points"]), style, markersize=3, label=line["name"])
        axes.set(ylabel="ns per element", title=f"1 thread, {place}")
        if name == "sizes":
            axes.set(xscale="log", yscale="log", xlabel="elements")
        else:
            axes.set(xlabel="rank, the extents as equal as they can be", ylim=(0, None))
    axes.legend()
    save(figure, name)


def draw():
    section, _ = page.own_and_others()
    rows = [page.Row(data) for data in section["rows"]]
    for threads in sorted({row.threads for row in rows}):
        own = [row for row in rows if row.threads == threads]
        title = f"{page.counted(threads)}, {page.place(section)}"
        workloads([row for row in own if row.kernel], f"workloads-{threads}", title)
        workloads([row for row in own if not row.kernel], f"further-{threads}", title)
    for name in page.SWEEPS:
        for newest in page.sections(name)[:1]:
            sweep(name, newest)
