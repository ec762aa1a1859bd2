/** The steps of the guide. Text between backticks is code. */

export interface Step {
  chapter: 'Broadcasting' | 'Four families of rules' | 'Mistakes';
  title: string;
  text: string[];
  /** The state of Ask that the step shows. */
  address: string;
  /** The rules whose drawings are shown; the meaning that a rule belongs to is shown once. */
  rules: string[];
  /** Other shapes to try. */
  tries: [address: string, label: string][];
  /** What to do about it. */
  remedy?: string;
  /** Shows what runtimes do with these shapes. */
  runtimes?: boolean;
  /** A link into Check. */
  check?: [address: string, label: string];
}

export const STEPS: Step[] = [
  {
    chapter: 'Broadcasting',
    title: 'Two arrays of different shapes',
    text: [
      'An element-wise operator such as `a + b` pairs each element of `a` with one element of `b`. If the shapes differ, a rule decides the pairs. This is called broadcasting.',
      'Here `a` has 2 rows of 3 elements and `b` has one row of 3 elements. Every row of `a` is paired with the same `b`. Nothing is copied: `b` is only read twice.',
    ],
    address: '2,3+3',
    rules: ['numpy'],
    tries: [['4,3+3', 'more rows'], ['2,3,4+4', 'three axes']],
  },
  {
    chapter: 'Broadcasting',
    title: 'A size of 1 stretches',
    text: [
      'A dim of 1 fits every size: its single element is read again and again along that axis. The drawing shows it as `1 → 3`.',
      'An axis that an operand does not have is treated in the same way. The drawing shows it with dots.',
    ],
    address: '2,3+2,1',
    rules: ['numpy'],
    tries: [['2,1+1,3', 'both stretch'], ['2,3+1,1', 'one element']],
  },
  {
    chapter: 'Broadcasting',
    title: 'Sizes that do not fit',
    text: [
      'Two different sizes on one axis, neither of them 1, are an error. An error is the good case: you notice it.',
      'The drawing names the axis, and the shapes that would fit. Adding an axis of 1 is the usual way to say which axis you mean.',
    ],
    address: '2,3+2',
    rules: ['numpy'],
    tries: [['2,3+2,1', 'add an axis'], ['3,2+2', 'transpose a']],
  },
  {
    chapter: 'Four families of rules',
    title: 'Align to the right',
    text: [
      'NumPy, PyTorch, JAX, ONNX since opset 7 and most others write the shapes under each other and align them to the right. Missing axes are added in front.',
      'The last axis of `b` therefore meets the last axis of `a`, whatever the axes mean.',
    ],
    address: '2,3,4+4',
    rules: ['numpy'],
    tries: [['2,3,4+3,1', 'the axis in the middle'], ['5,1,4+3,1', 'both stretch']],
  },
  {
    chapter: 'Four families of rules',
    title: 'Align to the front',
    text: [
      'The BinaryOp of ncnn aligns shapes to the first, slowest axis. A vector that NumPy reads as a row is a column for ncnn.',
      'With square sizes both rules accept the shapes, and the numbers differ. The dashed elements are those that change.',
    ],
    address: '2,2+2',
    rules: ['numpy', 'ncnn'],
    tries: [['2,3+2', 'only ncnn accepts'], ['2,3+3', 'both, and the same']],
  },
  {
    chapter: 'Four families of rules',
    title: 'Name the axis',
    text: [
      'Paddle, the mode `pdpd` of OpenVINO and ONNX before opset 7 have an attribute `axis`: it says at which axis of `a` the first axis of `b` is placed.',
      'Here `b` has one number for each of the 3 channels. NumPy needs the shape `(3, 1)` for that.',
    ],
    address: '2,3,4+3&rule=paddle&axis=1',
    rules: ['numpy'],
    tries: [['2,3,4+3,1', 'for NumPy'], ['2,3,4+2,3&rule=paddle&axis=0', 'at axis 0']],
  },
  {
    chapter: 'Four families of rules',
    title: 'Only one side stretches',
    text: [
      'Some operators keep the shape of their first operand: only the second may stretch. ONNX uses this rule, `unidirectional`, for PRelu and Gemm.',
      'Code that works in NumPy, where both sides stretch, is then an error.',
    ],
    address: '1,4+3,4',
    rules: ['numpy', 'unidirectional'],
    tries: [['3,4+1,4', 'swap the operands'], ['4+3,4', 'a lower rank']],
  },
  {
    chapter: 'Mistakes',
    title: 'An outer sum by accident',
    text: [
      'Predictions of shape `(n, 1)` minus labels of shape `(n,)` give an `(n, n)` matrix under NumPy, without an error. The mean of its squares is a plausible loss, and it is wrong.',
      'Under ncnn the same shapes give `(n, 1)`.',
    ],
    address: '3+3,1',
    rules: ['numpy', 'ncnn'],
    tries: [['3,1+3,1', 'equal shapes'], ['3+3', 'no second axis']],
    remedy: 'Give both operands the same rank. Assert that the shape of a difference is the one you expect.',
  },
  {
    chapter: 'Mistakes',
    title: 'A bias for channels',
    text: [
      'Images are often stored as `(N, C, H, W)`. A bias of shape `(C,)` aligned to the right meets the width, not the channels.',
      'If the width differs from the number of channels, it is an error.',
    ],
    address: '1,2,3,3+2',
    rules: ['numpy', 'pdpd axis=1'],
    tries: [['1,2,3,3+2,1,1', 'as (C, 1, 1)'], ['1,3,3,2+2', 'channels last']],
    remedy: 'Reshape the bias to `(C, 1, 1)`.',
  },
  {
    chapter: 'Mistakes',
    title: 'Square sizes hide the wrong axis',
    text: [
      'If the width equals the number of channels, the bias of the last step is accepted on every axis. No error tells you that it was added to the wrong one.',
      'Tests with square inputs do not find such bugs.',
    ],
    address: '1,3,3,3+3',
    rules: ['numpy', 'pdpd axis=1'],
    tries: [['1,3,3,4+3', 'not square'], ['1,3,3,3+3,1,1', 'as (C, 1, 1)']],
    remedy: 'Test with sizes that all differ.',
  },
  {
    chapter: 'Mistakes',
    title: 'A mean without keepdims',
    text: [
      'The mean of each row of a `(3, 4)` matrix has the shape `(3,)`. Subtracting it from the matrix is an error, because it meets the columns.',
      'If the matrix is square, the mean of row 1 is subtracted from column 1, and nothing is reported.',
    ],
    address: '3,3+3',
    rules: ['numpy'],
    tries: [['3,4+3', 'not square'], ['3,3+3,1', 'with keepdims']],
    remedy: 'Pass `keepdims=True`, so that the mean has the shape `(3, 1)`.',
  },
  {
    chapter: 'Mistakes',
    title: 'The slope of PRelu',
    text: [
      'A slope of shape `(C,)` means one slope per channel in Caffe, PyTorch and OpenVINO. In ONNX it is aligned to the right like any other operand, so it means one slope per column.',
      'Exporters therefore have to write the slope as `(C, 1, 1)`.',
    ],
    address: '1,3,3,3+3',
    rules: ['unidirectional', 'openvino-prelu'],
    tries: [['1,3,2,4+3', 'not square'], ['1,3,3,3+3,1,1', 'as (C, 1, 1)']],
    remedy: 'Write the slope as `(C, 1, 1)`. It means the same under both rules.',
  },
  {
    chapter: 'Mistakes',
    title: 'A table added to a batch, on ncnn',
    text: [
      'A table of positions of shape `(2, 2)` is added to every item of a batch. ncnn aligns it to the front: it adds row `i` of the table to item `i` instead.',
      'Converters pad shapes to the same rank to prevent this. Files that were written by hand, or by older converters, have the problem.',
    ],
    address: '2,2,2+2,2',
    rules: ['numpy', 'ncnn'],
    tries: [['2,2,2+1,2,2', 'the same rank'], ['3,2,2+2,2', 'batch of 3']],
    remedy: 'Write the leading 1: `(1, 2, 2)` means the same under both rules.',
  },
  {
    chapter: 'Mistakes',
    title: 'The default of axis in Paddle',
    text: [
      'In Paddle `axis` is -1 unless it is set, which aligns to the right. With `axis=0` the same shapes have another meaning.',
      'A converter that drops the attribute changes the result of models with square sizes.',
    ],
    address: '2,2+2&rule=paddle&axis=0',
    rules: ['paddle axis=-1', 'paddle axis=0'],
    tries: [['2,3+2&rule=paddle&axis=0', 'not square'], ['2,2+2,1&rule=paddle&axis=0', 'a trailing 1']],
    remedy: 'Reshape `b` to the rank of `a`, so that `axis` does not matter.',
  },
  {
    chapter: 'Mistakes',
    title: 'ONNX before opset 7',
    text: [
      'Old ONNX models have attributes `broadcast=1` and `axis`. Since opset 7 they do not exist: shapes are aligned to the right.',
      'Changing only the opset number of such a model moves the bias from the channels to the columns. Here `axis` was 1.',
    ],
    address: '1,3,3,3+3&rule=onnx-legacy&axis=1',
    rules: ['numpy', 'onnx-legacy axis=1'],
    tries: [['1,3,2,4+3&rule=onnx-legacy&axis=1', 'not square'], ['1,3,3,3+3,1,1', 'upgraded']],
    remedy: 'Use `broadaxe upgrade`, which replaces the attributes with explicit shapes.',
    check: ['#/check?for=onnx,ncnn&example=face.onnx', 'Check face.onnx'],
  },
  {
    chapter: 'Mistakes',
    title: 'A scalar is not an array of one element',
    text: [
      'A scalar has the shape `()` and rank 0. `(1,)` has rank 1. Most rules accept both, but the result may have another rank, and rules that ask for equal ranks reject a scalar.',
      'Some runtimes cannot represent rank 0 at all and store `(1,)`.',
    ],
    address: '()+1',
    rules: ['numpy', 'tosa'],
    tries: [['2,3+()', 'a scalar'], ['2,3+1', 'one element'], ['()+()', 'two scalars']],
    remedy: 'Check the rank of a result, not only its number of elements.',
  },
  {
    chapter: 'Mistakes',
    title: 'An empty axis',
    text: [
      'A dim of 0 is a size like any other: 1 stretches to it, and the result has no elements. 0 itself never stretches.',
      'An empty batch is a normal input for some programs. Several runtimes reject it.',
    ],
    address: '2,0+1',
    rules: ['numpy', 'ncnn'],
    tries: [['0+2', '0 does not stretch'], ['2,0+2,1', 'a column']],
    remedy: 'Test functions with an empty batch, if they may get one.',
  },
  {
    chapter: 'Mistakes',
    title: 'A batch that was 1 when you exported',
    text: [
      'The batch `n` is open, and `b` was recorded with a batch of 3. The shapes fit if `n` is 3, and under rules where both sides stretch also if `n` is 1. These conditions are called guards.',
      'A model that was traced with a batch of 1 may contain a 1 that should be `n`. It stretches silently.',
    ],
    address: 'n,4+3,4',
    rules: ['numpy'],
    tries: [['n,4+n,4', 'one name for both'], ['n,3+3', 'n may be 3'], ['n,4+1,4', 'a recorded 1']],
    remedy: 'Use one name for dims that must be equal.',
  },
  {
    chapter: 'Mistakes',
    title: 'Constants on LiteRT’s GPU delegate',
    text: [
      'Every rule agrees on two operands of the shape `(6, 8)`. The GPU delegate of LiteRT still reads something else if one of them is a constant: it places a constant by its own rank, so a matrix is not where a tensor of rank 2 is.',
      'It reads the first row of the table for all tokens, without an error. Only the runtime, not the shapes, can tell you.',
    ],
    address: '6,8+6,8',
    rules: ['numpy'],
    tries: [['1,6,8+6,8', 'with a batch'], ['1,1,6,8+1,1,6,8', 'rank 4']],
    remedy: 'Check the model for the runtimes that it ships to.',
    runtimes: true,
    check: ['#/check?for=litert,litert-gpu&example=position.tflite', 'Check position.tflite'],
  },
];
