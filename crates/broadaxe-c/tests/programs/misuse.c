/* Calls every function in wrong ways: each returns a status, and none writes where it must not. */

#include <broadaxe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int faults = 0;

#define EXPECT(what, got, want)                                                                        \
  do {                                                                                                 \
    long long is = (long long)(got), should = (long long)(want);                                       \
    if (is != should) {                                                                                \
      fprintf(stderr, "line %d: %s: %lld, not %lld\n", __LINE__, what, is, should);                    \
      ++faults;                                                                                        \
    }                                                                                                  \
  } while (0)

static const size_t A[] = {2, 3}, B[] = {3};
static const size_t *const DIMS[] = {A, B};
static const size_t RANKS[] = {2, 1};

static int32_t shape_of(const bx_rule *rule) {
  size_t out[BX_MAX_RANK], rank = 0;
  return bx_broadcast_shape(rule, DIMS, RANKS, 2, out, BX_MAX_RANK, &rank);
}

static void rules(void) {
  bx_rule good = {.struct_size = sizeof good, .name = "numpy"};
  EXPECT("good", shape_of(&good), BX_OK);
  EXPECT("no rule", shape_of(NULL), BX_ERROR_NULL);
  bx_rule rule = good;
  rule.name = NULL;
  EXPECT("no name", shape_of(&rule), BX_ERROR_NULL);
  rule.name = "\xff";
  EXPECT("not UTF-8", shape_of(&rule), BX_ERROR_TEXT);
  rule.name = "nump";
  EXPECT("unknown rule", shape_of(&rule), BX_ERROR_PARAMETER);
  const size_t wrong[] = {0, 1, sizeof rule - 1, 4097, SIZE_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    rule = good;
    rule.struct_size = wrong[i];
    EXPECT("struct_size", shape_of(&rule), BX_ERROR_STRUCT_SIZE);
  }
  struct {
    bx_rule rule;
    uint64_t more;
  } later = {{.struct_size = sizeof later, .name = "numpy"}, 0};
  EXPECT("a later structure", shape_of(&later.rule), BX_OK);
  later.more = 1;
  EXPECT("an unknown field", shape_of(&later.rule), BX_ERROR_STRUCT_SIZE);
  const int64_t axes[] = {0, 1};
  rule = (bx_rule){.struct_size = sizeof rule, .name = "pdpd", .axis = 1};
  EXPECT("axis without its flag", shape_of(&rule), BX_ERROR_PARAMETER);
  rule = (bx_rule){.struct_size = sizeof rule, .name = "numpy", .axes = axes, .axes_count = 2};
  EXPECT("axes without its flag", shape_of(&rule), BX_ERROR_PARAMETER);
  rule = (bx_rule){.struct_size = sizeof rule, .name = "numpy", .target = A, .target_rank = 2};
  EXPECT("target without its flag", shape_of(&rule), BX_ERROR_PARAMETER);
  rule = (bx_rule){.struct_size = sizeof rule, .name = "numpy", .parameters = 64};
  EXPECT("unknown flag", shape_of(&rule), BX_ERROR_PARAMETER);
  rule = (bx_rule){.struct_size = sizeof rule, .name = "broadcast-to", .target_rank = 2, .parameters = BX_HAS_TARGET};
  EXPECT("no target", shape_of(&rule), BX_ERROR_NULL);
  rule = (bx_rule){.struct_size = sizeof rule, .name = "broadcast-to", .target = A, .target_rank = SIZE_MAX, .parameters = BX_HAS_TARGET};
  EXPECT("rank of the target", shape_of(&rule), BX_ERROR_RANK);
  rule = (bx_rule){.struct_size = sizeof rule, .name = "explicit", .axes = axes, .axes_count = 65, .target = A, .target_rank = 2, .parameters = BX_HAS_AXES | BX_HAS_TARGET};
  EXPECT("number of axes", shape_of(&rule), BX_ERROR_RANK);
  rule = (bx_rule){.struct_size = sizeof rule, .name = "numpy", .mode = "no-mode"};
  EXPECT("unknown mode", shape_of(&rule), BX_ERROR_PARAMETER);
}

static void operands(void) {
  bx_rule rule = {.struct_size = sizeof rule, .name = "numpy"};
  size_t out[2] = {7, 7}, rank = 9;
  const size_t *const missing[] = {A, NULL};
  const size_t huge[] = {2, SIZE_MAX}, none[] = {2, 0};
  const size_t large[] = {SIZE_MAX, SIZE_MAX};
  const size_t *const overflow[] = {A, large};
  EXPECT("no dims", bx_broadcast_shape(&rule, NULL, RANKS, 2, out, 2, &rank), BX_ERROR_NULL);
  EXPECT("no ranks", bx_broadcast_shape(&rule, DIMS, NULL, 2, out, 2, &rank), BX_ERROR_NULL);
  EXPECT("no dims of one", bx_broadcast_shape(&rule, missing, RANKS, 2, out, 2, &rank), BX_ERROR_NULL);
  EXPECT("a huge rank", bx_broadcast_shape(&rule, DIMS, huge, 2, out, 2, &rank), BX_ERROR_RANK);
  EXPECT("a huge count", bx_broadcast_shape(&rule, DIMS, RANKS, SIZE_MAX, out, 2, &rank), BX_ERROR_INDEX);
  EXPECT("huge dims", bx_broadcast_shape(&rule, overflow, RANKS, 2, out, 2, &rank), BX_ERROR_OVERFLOW);
  EXPECT("no operand", bx_broadcast_shape(&rule, NULL, NULL, 0, out, 2, &rank), BX_ERROR_OPERANDS);
  EXPECT("no result", bx_broadcast_shape(&rule, DIMS, RANKS, 2, out, 2, NULL), BX_ERROR_NULL);
  EXPECT("nothing is written", rank == 9 && out[0] == 7 && out[1] == 7, 1);
  EXPECT("rank 0 needs no dims", bx_broadcast_shape(&rule, missing, none, 2, out, 2, &rank), BX_OK);
  EXPECT("too little room", bx_broadcast_shape(&rule, DIMS, RANKS, 2, out, 1, &rank), BX_ERROR_BUFFER);
  EXPECT("the rank", rank, 2);
  EXPECT("only the rank", bx_broadcast_shape(&rule, DIMS, RANKS, 2, NULL, 0, &rank), BX_OK);
}

static void alignments(void) {
  bx_rule rule = {.struct_size = sizeof rule, .name = "numpy"};
  ptrdiff_t strides[4] = {7, 7, 7, 7};
  const size_t sizes[] = {8, 2}, overflow[] = {SIZE_MAX, 2};
  const ptrdiff_t own[] = {-1, 2};
  const ptrdiff_t *const owns[] = {own, NULL};
  bx_alignment out = {.struct_size = sizeof out, .capacity = 1, .strides = strides};
  EXPECT("no structure", bx_align(&rule, DIMS, RANKS, 2, NULL), BX_ERROR_NULL);
  EXPECT("too little room", bx_align(&rule, DIMS, RANKS, 2, &out), BX_ERROR_BUFFER);
  EXPECT("the rank", out.rank, 2);
  EXPECT("nothing else", strides[0], 7);
  out.capacity = 2;
  out.item_sizes = overflow;
  EXPECT("a huge item", bx_align(&rule, DIMS, RANKS, 2, &out), BX_ERROR_OVERFLOW);
  out.item_sizes = sizes;
  EXPECT("bytes", bx_align(&rule, DIMS, RANKS, 2, &out), BX_OK);
  EXPECT("strides in bytes", strides[0] == 24 && strides[1] == 8 && strides[2] == 0 && strides[3] == 2, 1);
  out.own_strides = owns;
  EXPECT("own strides", bx_align(&rule, DIMS, RANKS, 2, &out), BX_OK);
  EXPECT("own strides are used", strides[0] == -1 && strides[1] == 2 && strides[2] == 0 && strides[3] == 2, 1);
  out.strides = NULL;
  out.capacity = 0;
  EXPECT("only the rank", bx_align(&rule, DIMS, RANKS, 2, &out), BX_OK);
}

static void names(void) {
  size_t index = 99;
  bx_rule_info info = {.struct_size = sizeof info};
  EXPECT("find", bx_rule_find("pdpd", &index), BX_OK);
  EXPECT("describe", bx_rule_describe(index, &info), BX_OK);
  EXPECT("name", strcmp(info.name, "pdpd"), 0);
  EXPECT("parameters", info.parameters, BX_HAS_AXIS | BX_HAS_DEFAULT_AXIS);
  EXPECT("default", info.default_axis, -1);
  EXPECT("operands", info.min_operands == 2 && info.max_operands == 2, 1);
  EXPECT("find nothing", bx_rule_find("none of these", &index), BX_ERROR_PARAMETER);
  EXPECT("find without a name", bx_rule_find(NULL, &index), BX_ERROR_NULL);
  EXPECT("find without an index", bx_rule_find("numpy", NULL), BX_ERROR_NULL);
  EXPECT("behind the last", bx_rule_describe(bx_rule_count(), &info), BX_ERROR_INDEX);
  EXPECT("a huge index", bx_rule_describe(SIZE_MAX, &info), BX_ERROR_INDEX);
  EXPECT("no structure", bx_rule_describe(0, NULL), BX_ERROR_NULL);
  info.struct_size = 8;
  EXPECT("a small structure", bx_rule_describe(0, &info), BX_ERROR_STRUCT_SIZE);
  EXPECT("a target", bx_target_name(0) != NULL, 1);
  EXPECT("no target", bx_target_name(SIZE_MAX) == NULL, 1);
  EXPECT("unknown status", strcmp(bx_strerror(-12345), "unknown status"), 0);
  EXPECT("status", strcmp(bx_strerror(BX_OK), "success"), 0);
}

static void requests(const char *model) {
  char text[4096];
  bx_answer out = {.struct_size = sizeof out};
  snprintf(text, sizeof text, "{\"request\": \"check\", \"models\": [\"%s\"], \"targets\": [\"ncnn\"]}", model);
  EXPECT("a check", bx_request(text, &out), BX_OK);
  EXPECT("findings", out.fails, 1);
  EXPECT("length", strlen(out.json), out.length);
  EXPECT("what is found", strstr(out.json, "\"differs\"") != NULL, 1);
  snprintf(text, sizeof text, "{\"request\": \"fix\", \"model\": \"%s\", \"targets\": [\"ncnn\"]}", model);
  EXPECT("a fix", bx_request(text, &out), BX_OK);
  EXPECT("what is changed", strstr(out.json, "\"verified\"") != NULL, 1);
  EXPECT("a comparison", bx_request("{\"request\": \"compare\", \"shapes\": [\"2,3\", \"4\"]}", &out), BX_OK);
  EXPECT("no rule accepts the shapes", out.fails, 1);
  EXPECT("a shape", bx_request("{\"request\": \"shape\", \"shapes\": [\"2,1\", \"n\"]}", &out), BX_OK);
  EXPECT("its dims", strstr(out.json, "[2,\"n\"]") != NULL, 1);
  EXPECT("an explanation", bx_request("{\"request\": \"explain\", \"shapes\": [\"2,1\", \"3\"]}", &out), BX_OK);
  EXPECT("its loops", strstr(out.json, "\"loops\"") != NULL, 1);
  const char *const wrong[] = {"", "no JSON", "[]", "{}", "{\"request\": \"none\"}", "{\"request\": \"fix\", \"modle\": \"a\"}",
                               "{\"request\": \"list\", \"model\": \"no/such/file\"}", "{\"request\": \"compare\"}",
                               "{\"request\": \"shape\", \"shapes\": [\"2\", \"3\"]}"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    EXPECT("a wrong request", bx_request(wrong[i], &out), BX_ERROR_REQUEST);
    EXPECT("its answer", strncmp(out.json, "{\"error\":", 9), 0);
  }
  EXPECT("no request", bx_request(NULL, &out), BX_ERROR_NULL);
  EXPECT("no structure", bx_request("{}", NULL), BX_ERROR_NULL);
  EXPECT("not UTF-8", bx_request("\xff", &out), BX_ERROR_TEXT);
  out.struct_size = 8;
  EXPECT("a small structure", bx_request("{}", &out), BX_ERROR_STRUCT_SIZE);
}

static void files(const char *model) {
  const char *const targets[] = {"onnx", "ncnn"}, *const unknown[] = {"no-target"}, *const missing[] = {"onnx", NULL};
  char small[8] = "untouch";
  bx_report out = {.struct_size = sizeof out};
  EXPECT("count only", bx_check_file(model, targets, 2, &out), BX_OK);
  EXPECT("findings", out.findings > 0, 1);
  size_t needed = out.needed;
  out.json = small;
  out.capacity = sizeof small;
  EXPECT("too little room", bx_check_file(model, targets, 2, &out), BX_ERROR_BUFFER);
  EXPECT("needed", out.needed, needed);
  EXPECT("nothing is written", strcmp(small, "untouch"), 0);
  out.json = malloc(needed);
  out.capacity = needed;
  EXPECT("room enough", bx_check_file(model, targets, 2, &out), BX_OK);
  EXPECT("length", strlen(out.json), needed - 1);
  free(out.json);
  out.json = NULL;
  EXPECT("no file", bx_check_file("no/such/file", targets, 2, &out), BX_ERROR_FILE);
  EXPECT("no model", bx_check_file(__FILE__, targets, 2, &out), BX_ERROR_FORMAT);
  EXPECT("no path", bx_check_file(NULL, targets, 2, &out), BX_ERROR_NULL);
  EXPECT("no targets", bx_check_file(model, NULL, 2, &out), BX_ERROR_NULL);
  EXPECT("no target", bx_check_file(model, targets, 0, &out), BX_ERROR_INDEX);
  EXPECT("too many targets", bx_check_file(model, targets, SIZE_MAX, &out), BX_ERROR_INDEX);
  EXPECT("a target is null", bx_check_file(model, missing, 2, &out), BX_ERROR_NULL);
  EXPECT("no structure", bx_check_file(model, targets, 2, NULL), BX_ERROR_NULL);
  EXPECT("unknown target", bx_check_file(model, unknown, 1, &out), BX_ERROR_TARGET);
  char text[16];
  memset(text, 'x', sizeof text);
  size_t length = bx_last_error(text, sizeof text);
  EXPECT("a long text", length > sizeof text, 1);
  EXPECT("its start", strcmp(text, "unknown target "), 0);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  char none[4] = "xyz";
  bx_error error = {.struct_size = sizeof error};
  EXPECT("no error", bx_last_error(none, sizeof none), 1);
  EXPECT("an empty text", none[0], 0);
  EXPECT("no error", bx_error_info(&error), BX_OK);
  EXPECT("its status", error.status, BX_OK);
  EXPECT("error info", bx_error_info(NULL), BX_ERROR_NULL);
  rules();
  operands();
  alignments();
  names();
  requests(arguments[1]);
  files(arguments[1]);
  return faults != 0;
}
