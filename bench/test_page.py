"""Tests what bench/page.py decides: which targets are missed, and which points of a sweep break its rule."""

import unittest

import page


def row(name, threads, kernel, times):
    series = [{"engine": engine, "mode": mode, "min_us": us, "median_us": 2 * us,
               "check": "wrong: all" if engine == "liar" else "exact"} for engine, mode, us in times]  # fmt: skip
    return page.Row({"workload": name, "threads": threads, "known_us": kernel, "series": series, "skipped": []})


class Tests(unittest.TestCase):
    def test_the_limit_is_what_takes_longer(self):
        traffic = [("traffic", "ordinary", 3.0), ("traffic", "long", 2.0)]
        for threads, kernel, want in [(1, 0, 2), (1, 5, 5), (2, 5, 5), (2, 50, 25), (2, 1, 2)]:
            self.assertEqual(row("w", threads, kernel, traffic).limit, want)
        self.assertIsNone(row("w", 1, 0, []).limit)

    def test_what_is_missed_is_named(self):
        for name, mode, kernel, times, want in [
            ("w", "out", 10, [("broadaxe", 11.4), ("x", 11.3)], ""),
            ("w", "out", 10, [("broadaxe", 11.6), ("x", 20)], "1.16 x the limit"),
            ("w", "out", 10, [("broadaxe", 10), ("x", 8), ("y", 9)], "1.25 x x"),
            ("w", "out", 10, [("broadaxe", 10), ("liar", 1)], ""),
            ("w", "fresh", 10, [("broadaxe", 99)], ""),
            ("w", "fresh", 10, [("broadaxe", 99), ("x", 33)], "3.00 x x"),
            ("tiny4", "out", 0.01, [("broadaxe", 0.04)], ""),
            ("tiny4", "out", 0.01, [("broadaxe", 0.08)], "80 ns, target 40"),
            ("tiny4", "unplanned", 0.01, [("broadaxe", 0.2)], "200 ns, target 150"),
            ("w", "unplanned", 0.01, [("broadaxe", 0.2)], ""),
        ]:
            made = row(name, 1, kernel, [(engine, mode, us) for engine, us in times])
            self.assertEqual(", ".join(made.misses(mode)), want, times)

    def test_cells_follow_the_head(self):
        times = [("broadaxe", "out", 11), ("numpy", "out", 20), ("traffic", "long", 8)]
        rows = [row("good", 1, 10, times), row("bad", 2, 40, [("broadaxe", "out", 80), ("numpy", "out", 40)])]
        text = page.workload_table(rows, "out")
        self.assertIn("| good | 1 | 10.0 | 11.0 | 22.0 | 1.10 | 1.38 | 1.10 | 0.55 numpy | 2.00 |", text)
        self.assertIn("| **bad** |", text)
        self.assertEqual(len({line.count("|") for line in text.splitlines()}), 1)

    def test_each_workload_is_of_a_kind(self):
        kinds = page.kinds()
        self.assertTrue(all(kinds.values()))
        names = [name for names in kinds.values() for name in names]
        self.assertEqual(len(names), len(set(names)))
        lines = [line for line in page.WORKLOADS_FILE.read_text().splitlines() if line.strip() and line[0] != "#"]
        self.assertEqual(len(names), len(lines))

    def test_the_lead_is_that_over_the_best_right_peer(self):
        times = [("broadaxe", "out", 10), ("numpy", "out", 30), ("torch", "out", 20), ("liar", "out", 1)]
        self.assertEqual(page.leads([row("w", 1, 0, times), row("alone", 1, 0, times[:1])]), [2])

    def test_steps_that_nothing_explains_are_named(self):
        traffic = {"name": "a + b (traffic)", "points": [[1024, 1], [2048, 1], [4096, 2]]}
        # 12 bytes an element: 1024 of them leave a cache of 16 KiB on the way to 2048.
        for costs, caches, want in [
            ([1, 1.25, 1.25], [], 0),
            ([1, 1.4, 1.4], [], 1),
            ([1, 1.4, 1.4], [16384], 0),
            ([1, 1, 2.5], [], 0),
            ([1, 1, 2.7], [], 1),
        ]:
            line = {"name": page.CHEAP, "points": list(zip([1024, 2048, 4096], costs))}
            self.assertEqual(len(page.judge("sizes", [line, traffic], caches)), want, (costs, caches))
        line = {"name": "x", "points": [[1, 1], [2, 1.2], [3, 1.7]]}
        self.assertEqual(page.judge("ranks", [line], []), ["x: 2 to 3 costs 1.42 times as much"])

    def test_threads_that_do_not_help_are_named(self):
        for one, two, want in [(100, 101, 0), (100, 103, 2), (1000, 560, 1), (1000, 550, 0)]:
            lines = [{"name": f"{name}, {threads}", "points": [[9, us]]} for name in ("a + b", page.COSTLY)
                     for threads, us in (("1 thread", one), ("2 threads", two))]  # fmt: skip
            self.assertEqual(len(page.judge("threads", lines, [])), want, (one, two))


if __name__ == "__main__":
    unittest.main()
