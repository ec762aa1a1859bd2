use super::*;

/// Writes a step as an s-expression.
fn write(parsed: &Parsed, step: usize) -> String {
    match &parsed.steps[step].kind {
        Kind::Number(literal) => literal.to_string(),
        Kind::Name(index) => parsed.names[*index].clone(),
        Kind::Unary(sign, operand) => format!("({sign} {})", write(parsed, *operand)),
        Kind::Binary(sign, left, right) => format!("({sign} {} {})", write(parsed, *left), write(parsed, *right)),
        Kind::Call(call) => {
            let system = call.system.map_or(String::new(), |system| format!("{}.", system.name()));
            let mut words = vec![format!("{system}{}", call.name)];
            words.extend(call.arguments.iter().map(|argument| write(parsed, *argument)));
            words.extend(call.attributes.iter().map(|(key, value)| format!("{key}={value}")));
            format!("({})", words.join(" "))
        }
    }
}

/// Writes a parsed text as an s-expression.
fn tree(text: &str) -> Result<String, Error> {
    let parsed = parse(text)?;
    Ok(write(&parsed, parsed.root))
}

#[test]
fn texts_parse_as_python_does() {
    let cases = [
        ("a", "a"),
        ("a + b * c", "(+ a (* b c))"),
        ("(a + b) * c", "(* (+ a b) c)"),
        ("a - b - c", "(- (- a b) c)"),
        ("a / b // c % d", "(% (// (/ a b) c) d)"),
        ("a ** b ** c", "(** a (** b c))"),
        ("-a**2", "(- (** a 2))"),
        ("(-a)**2", "(** (- a) 2)"),
        ("2**-1", "(** 2 (- 1))"),
        ("2 ** - 1 ** 2", "(** 2 (- (** 1 2)))"),
        ("-a * b", "(* (- a) b)"),
        ("~a & b", "(& (~ a) b)"),
        ("- + ~a", "(- (+ (~ a)))"),
        ("a - -b", "(- a (- b))"),
        ("a & b == c", "(== (& a b) c)"),
        ("a | b ^ c & d", "(| a (^ b (& c d)))"),
        ("a << b + c", "(<< a (+ b c))"),
        ("a & b << c", "(& a (<< b c))"),
        ("a + b < c * d", "(< (+ a b) (* c d))"),
        ("(a < b) == (c < d)", "(== (< a b) (< c d))"),
        ("(a > 0) & (b != 1)", "(& (> a 0) (!= b 1))"),
        ("1.5e3*x", "(* 1500.0 x)"),
        ("x == True", "(== x True)"),
        ("add(a, b)", "(add a b)"),
        ("add(a, b,)", "(add a b)"),
        ("np.sqrt(a) + sqrt (b)", "(+ (sqrt a) (sqrt b))"),
        ("where(a < b, a, -b)", "(where (< a b) a (- b))"),
        ("add(a, b, rule=\"pdpd\", axis=-1)", "(add a b rule=\"pdpd\" axis=-1)"),
        ("add(a, b == c)", "(add a (== b c))"),
        ("openvino.Add(a, b, auto_broadcast='pdpd', axis=1)", "(openvino.Add a b auto_broadcast=\"pdpd\" axis=1)"),
        ("onnx.PRelu(x, slope)", "(onnx.PRelu x slope)"),
        ("onnx.Expand(x, [2, 3])", "(onnx.Expand x =[2, 3])"),
        ("onnx.LeakyRelu(x, alpha=-.5)", "(onnx.LeakyRelu x alpha=-0.5)"),
        (
            "openvino.Broadcast(x, target_shape=(2, 3,), axes_mapping=[])",
            "(openvino.Broadcast x target_shape=[2, 3] axes_mapping=[])",
        ),
        ("openvino.Divide(a, b, m_pythondiv=False)", "(openvino.Divide a b m_pythondiv=False)"),
        ("cast(x, \"f16\")", "(cast x =\"f16\")"),
        ("axis + add(axis, a, axis=1)", "(+ axis (add axis a axis=1))"),
        ("\u{3b1} * \u{3b2}_1", "(* \u{3b1} \u{3b2}_1)"),
        (" a\n + b ", "(+ a b)"),
    ];
    let wrong: Vec<_> = cases
        .iter()
        .map(|(text, want)| (text, want, tree(text)))
        .filter(|(_, want, got)| !matches!(got, Ok(got) if got == *want))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn errors_point_and_explain() {
    let cases = [
        ("", 0, "empty"),
        ("  ", 2, "empty"),
        ("a +", 3, "an operand is missing before the end"),
        ("a + * b", 4, "an operand is missing before '*'"),
        ("a b", 2, "an operator is missing before 'b'"),
        ("2 3", 2, "an operator is missing before the number 3"),
        ("a < b < c", 6, "write (a < b) & (b < c)"),
        ("a == b != c", 7, "chain of comparisons"),
        ("a and b", 2, "write &"),
        ("a or b", 2, "write |"),
        ("not a", 0, "write ~"),
        ("a if b else c", 2, "where(condition"),
        ("a = b", 2, "write =="),
        ("a[0]", 1, "indexing"),
        ("a.T", 0, "'a.T' has no meaning here: expressions do not transpose"),
        ("(a).T", 3, "methods"),
        ("(a).real()", 3, "methods"),
        ("a.real()", 0, "'a' is not a framework, and arrays have no attributes but .real and .imag"),
        ("onnx.", 5, "name of an operator is missing"),
        ("onnx.Add", 8, "called with its operands"),
        ("(a + b", 6, "opened at byte 0 is never closed"),
        ("add(a, b", 8, "opened at byte 3 is never closed"),
        ("a)", 1, "')' closes nothing"),
        ("a, b", 1, "one result"),
        ("(a, b)", 2, "after a keyword"),
        ("(2)(3)", 3, "only operators can be called"),
        ("\"text\"", 0, "after a keyword"),
        ("s == 'x'", 5, "elements are numbers"),
        ("b'abba' == s", 1, "elements are numbers"),
        ("complex(a, b)", 0, "'complex' needs complex numbers"),
        ("contains(s, a)", 0, "'contains' needs strings"),
        ("[1]", 0, "after a keyword"),
        ("None", 0, "None has no dtype"),
        ("tf.Add(a, b)", 0, "onnx, openvino, ncnn, paddle"),
        ("sqr(a)", 0, "sqrt"),
        ("frobnicate(a)", 0, "unknown operator 'frobnicate'"),
        ("1 + onnx.Ad(a, b)", 4, "Add"),
        ("onnx.MatMul(a, b)", 0, "not element-wise"),
        ("add(a, axis=1, b)", 15, "operands come before keywords"),
        ("add(a, b, axis=1, axis=2)", 18, "axis is given twice"),
        ("add(a, b, axis=n)", 15, "written out"),
        ("add(a, b, axes=[1, 2)", 20, "']' is missing"),
        ("add(a, b, axes=[True])", 16, "a list holds numbers only"),
        ("add(a, b, axis=99999999999999999999)", 15, "larger than an attribute"),
        ("cast(a, 'f16', 'f32')", 15, "second value"),
        ("add(a b)", 6, "an operator is missing before 'b'"),
    ];
    let mut wrong = Vec::new();
    for (text, position, part) in cases {
        match tree(text) {
            Err(error) if error.position() == Some(position) && error.to_string().contains(part) => {}
            other => wrong.push((text, position, part, other.map_err(|error| (error.position(), error.to_string())))),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn hostile_texts_give_errors_or_answers() {
    let nested = |n: usize| format!("{}a{}", "(".repeat(n), ")".repeat(n));
    let calls = |n: usize| format!("{}a{}", "sqrt(".repeat(n), ")".repeat(n));
    for text in [nested(DEPTH + 1), nested(100_000), calls(100_000), format!("{}a", "2**".repeat(100_000))] {
        let error = parse(&text).unwrap_err();
        assert!(error.to_string().contains("deeper"), "{error}");
    }
    assert_eq!(tree(&nested(DEPTH)).unwrap(), "a");
    let chain = parse(&vec!["a"; 10_000].join("+")).unwrap();
    assert_eq!((chain.steps.len(), chain.names.len()), (19_999, 1));
    assert_eq!(parse(&format!("{}a", "-".repeat(100_000))).unwrap().steps.len(), 100_001);
    let long = parse(&"a".repeat(LENGTH + 1)).unwrap_err();
    assert!(long.to_string().contains("at most 1048576"), "{long}");
    let name = parse(&format!("{}(a)", "q".repeat(LENGTH - 3))).unwrap_err();
    assert!(name.to_string().len() < 200, "{name}");
}

#[test]
fn names_come_in_order_of_first_use() {
    let parsed = parse("b + a * b + add(c, a, axis=1)").unwrap();
    assert_eq!(parsed.names, ["b", "a", "c"]);
}

#[test]
fn torn_texts_never_panic() {
    let text = "where((a_1 <= 0x1F) & ~b, -2.5e-3**c, openvino.Add(x, \u{3b1}, auto_broadcast='pdpd', axis=[1, -2])) // 3 << d";
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let (mut good, mut bad) = (0, 0);
    for &from in &cuts {
        for &to in cuts.iter().filter(|to| **to >= from) {
            for candidate in [&text[from..to], &format!("{}{}", &text[..from], &text[to..])] {
                match parse(candidate) {
                    Ok(parsed) => good += usize::from(parsed.root < parsed.steps.len()),
                    Err(error) => bad += usize::from(error.position().is_some_and(|at| at <= candidate.len())),
                }
            }
        }
    }
    assert_eq!(good + bad, cuts.len() * (cuts.len() + 1));
    assert!(good > 100 && bad > 100, "{good} {bad}");
}
