/* Aligns the operands of every line of standard input and prints the result, or the status.

   A line is a list of words: the rule, its axis or -, its axes or -, its target or -, its mode or -, and the shapes of the
   operands. A list is numbers between commas, such as 2,3, and . without any. A result is the rank and the dims, and for each
   operand, which of its axes feed the axes of the result, and its strides. */

#include <broadaxe.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 64, LIST = BX_MAX_RANK + 8 };

static void fail(const char *what) {
  fprintf(stderr, "cases: %s\n", what);
  exit(2);
}

/* Reads a list of numbers; a negative one becomes what a cast to size_t makes of it. */
static size_t list(char *word, int64_t *to) {
  size_t count = 0;
  if (strcmp(word, ".") == 0) return 0;
  for (char *at = word;; ++at) {
    if (count == LIST) fail("a list is too long");
    to[count++] = (int64_t)strtoull(at, &at, 10);
    if (*at == 0) return count;
    if (*at != ',') fail(word);
  }
}

static void sizes(const int64_t *from, size_t count, size_t *to) {
  for (size_t i = 0; i < count; ++i) to[i] = (size_t)from[i];
}

static char *word(void) {
  char *next = strtok(NULL, " ");
  if (next == NULL) fail("a word is missing");
  return next;
}

static int given(const char *text) { return strcmp(text, "-") != 0; }

static void print(const bx_alignment *out, size_t count) {
  printf("%zu", out->rank);
  for (size_t axis = 0; axis < out->rank; ++axis) printf(" %zu", out->dims[axis]);
  for (size_t k = 0; k < count; ++k) {
    printf(" |");
    for (size_t axis = 0; axis < out->rank; ++axis) printf(" %" PRId32, out->feeds[k * out->capacity + axis]);
    printf(" ;");
    for (size_t axis = 0; axis < out->rank; ++axis) printf(" %td", out->strides[k * out->capacity + axis]);
  }
  printf("\n");
}

static void answer(char *line) {
  static int64_t numbers[LIST], axes[LIST];
  static size_t target[LIST], dims[OPERANDS][LIST], ranks[OPERANDS];
  const size_t *shapes[OPERANDS];
  bx_rule rule = {.struct_size = sizeof rule, .name = strtok(line, " ")};
  char *text = word();
  if (given(text)) {
    rule.axis = strtoll(text, NULL, 10);
    rule.parameters |= BX_HAS_AXIS;
  }
  if (given(text = word())) {
    rule.axes = axes;
    rule.axes_count = list(text, axes);
    rule.parameters |= BX_HAS_AXES;
  }
  if (given(text = word())) {
    rule.target = target;
    rule.target_rank = list(text, numbers);
    sizes(numbers, rule.target_rank, target);
    rule.parameters |= BX_HAS_TARGET;
  }
  if (given(text = word())) rule.mode = text;
  size_t count = 0;
  while ((text = strtok(NULL, " ")) != NULL) {
    if (count == OPERANDS) fail("too many operands");
    ranks[count] = list(text, numbers);
    sizes(numbers, ranks[count], dims[count]);
    shapes[count] = dims[count];
    ++count;
  }
  size_t rank = 0, plain[BX_MAX_RANK];
  int32_t status = bx_broadcast_shape(&rule, shapes, ranks, count, NULL, 0, &rank);

  /* The buffers are exactly as large as the result, so that a write behind them is found. */
  size_t all = rank * count;
  bx_alignment out = {.struct_size = sizeof out, .capacity = rank};
  out.dims = rank == 0 ? NULL : malloc(rank * sizeof *out.dims);
  out.feeds = all == 0 ? NULL : malloc(all * sizeof *out.feeds);
  out.strides = all == 0 ? NULL : malloc(all * sizeof *out.strides);
  int32_t aligned = bx_align(&rule, shapes, ranks, count, &out);
  /* Where an operand is tiled there is a shape, and no strides over it. */
  if (status == BX_OK && aligned == BX_ERROR_PARAMETER && strcmp(rule.name, "ggml") == 0) status = aligned;
  if (aligned != status) fail("bx_align has another status");
  if (status == BX_OK) {
    bx_broadcast_shape(&rule, shapes, ranks, count, plain, BX_MAX_RANK, &rank);
    if (rank != out.rank || (rank != 0 && memcmp(plain, out.dims, rank * sizeof *plain) != 0)) fail("bx_align has another shape");
    print(&out, count);
  } else {
    char sentence[512];
    bx_error error = {.struct_size = sizeof error};
    if (bx_last_error(sentence, sizeof sentence) < 2) fail("no text");
    if (bx_error_info(&error) != BX_OK || error.status != status) fail("bx_error_info has another status");
    printf("error %" PRId32 "\n", status);
  }
  free(out.dims);
  free(out.feeds);
  free(out.strides);
}

int main(void) {
  static char line[1 << 16];
  if (bx_abi_version() != BX_ABI_VERSION) fail("the library has another interface");
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = 0;
    answer(line);
  }
  return 0;
}
