use crate::{
    check::{Counterexample, Verdict, check},
    testing::{gravest, model},
};

fn example(text: &str) -> Counterexample {
    let (model, shapes) = model(text);
    let report = check(&model, &shapes, &["mnn".parse().expect("a target")]);
    let Verdict::Differs(example) = &report.findings[0].verdict else { panic!("{text}") };
    (**example).clone()
}

#[test]
fn sums_of_several_and_remainders() {
    for (text, want) in [
        ("x(2,3); y(2,3); z(2,3); r=Sum(x,y,z)", "same"),
        ("x(2,3); y(3); z(2,1); r=Sum(x,y,z)", "differs"),
        ("x(1,4); y(4); z(4); r=Sum(x,y,z)", "same"),
        ("x(4); y(1,4); z(4); r=Sum(x,y,z)", "differs"),
        ("x(2,3); y(3); r=Sum(x,y)", "same"),
        ("x(2,3); y(2,3); r=Mean(x,y)", "refused"),
        ("x(2,3); y(3); r=Mod(x,y) fmod=1", "differs"),
        ("x(2,3); r=Max(x)", "refused"),
        ("x(2,3); r=Mean(x)", "refused"),
        ("x(2,3); y(2,3); r=Less(x,y)", "differs"),
        ("x(2,n); y(2,m); r=Less(x,y)", "differs"),
        ("x(2,3); r=Relu(x); y(2,3); s=Less(r,y)", "same"),
        ("x(2,3); y=const()=0; r=Less(x,y)", "same"),
        ("x(2,3); y=const(3)=1,-2,3; r=Less(x,y)", "differs"),
        ("x:i32(2,3); y:i32(2,3); r=Less(x,y)", "same"),
        ("x(2,3); y(3); r=Greater(x,y)", "same"),
        ("x(2,1); y(3); r=Greater(x,y)", "differs"),
        ("x(2,1); y(3); e=Exp(y); r=Greater(x,e)", "same"),
        ("x(3); s=const(3); y=PRelu(x,s)", "unknown"),
        ("x(12); s=const(12); y=PRelu(x,s)", "refused"),
    ] {
        let (model, shapes) = model(text);
        let report = check(&model, &shapes, &["mnn".parse().expect("a target")]);
        assert_eq!(report.findings[0].verdict.name(), want, "{text}");
    }
}

#[test]
fn constants_behind_products_of_matrices() {
    for (text, want) in [
        ("a(4,3); b(3,4); c=const(4,1); p=MatMul(a,b); r=Add(p,c)", "differs"),
        ("a(4,3); b(3,4); c=const(4,1); p=MatMul(a,b); r=Add(c,p)", "differs"),
        ("a(4,3); b(3,4); c=const(1,4); p=MatMul(a,b); r=Add(p,c)", "same"),
        ("a(4,3); b(3,4); c=const(4); p=MatMul(a,b); r=Add(p,c)", "same"),
        ("a(4,3); b(3,4); c=const(1,1,4); p=MatMul(a,b); r=Add(p,c)", "differs"),
        ("a(5,3); b(3,4); c=const(5,1); p=MatMul(a,b); r=Add(p,c)", "same"),
        ("a(4,3); b(3,4); c(4,1); p=MatMul(a,b); r=Add(p,c)", "same"),
        ("a(4,3); b(3,4); c=const(1,1); p=MatMul(a,b); r=Add(p,c)", "same"),
        ("a(2,4,3); b(2,3,4); c=const(4,1); p=MatMul(a,b); r=Add(p,c)", "same"),
        ("a(2,4,3); b(3,4); c=const(4,1); p=MatMul(a,b); r=Add(p,c)", "differs"),
        ("a(4,3); b(3,4); c=const(4,1); p=MatMul(a,b); r=Mul(p,c)", "same"),
        ("a(4,3); b(3,4); c=const(4,1); p=MatMul(a,b); r=Sum(p,c)", "unknown"),
        ("a(4,3); b(3,4); c=const(4,1); p=MatMul(a,b); q=Relu(p); r=Add(p,c)", "unknown"),
    ] {
        let (model, shapes) = model(text);
        let report = check(&model, &shapes, &["mnn".parse().expect("a target")]);
        let found = report.findings.last().expect("a finding");
        assert_eq!(found.verdict.name(), want, "{text}");
    }
}

#[test]
fn numbers_behind_convolutions() {
    for (text, want) in [
        ("m=Abs(n); c=const(1,1,1,1); y=Sub(c,m)", "differs"),
        ("m=Abs(n); e=Exp(m); c=const(1,1,1,1,1); y=Mul(e,c)", "differs"),
        ("m=Abs(n); c=const(1,1,1,1); y=Sub(m,c)", "same"),
        ("m=Abs(n); c=const(1,1,1); y=Sub(c,m)", "same"),
        ("z=const(3,1,1); m=Max(n,z); c=const(1,1,1,1); y=Sub(c,m)", "differs"),
        ("z(3,3,3); m=Max(n,z); c=const(1,1,1,1); y=Sub(c,m)", "same"),
        ("z=const(1,3,3,3); m=Max(z,n); c=const(1,1,1,1); y=Sub(c,m)", "same"),
        ("m=Concat(n,n,x) axis=1; c=const(1,1,1,1); y=Sub(c,m)", "differs"),
        ("m=Concat(n,x) axis=1; c=const(1,1,1,1); y=Sub(c,m)", "same"),
        ("i=const:i64(3)=3,3,3; m=Reshape(n,i); c=const(1,1,1); y=Sub(c,m)", "differs"),
        ("i=const:i64(1)=27; m=Reshape(n,i); c=const(1); y=Sub(c,m)", "same"),
        ("m=Softmax(n); c=const(1,1,1,1); y=Sub(c,m)", "same"),
        ("d=Abs(x); c=const(1,1,1,1); r=Mul(d,c); y=Sub(c,n)", "unknown"),
        // Numbers in order that are declared to be in groups.
        ("z=const(1,3,3,3); m=Mul(z,n); s=const(3); y=PRelu(m,s)", "differs"),
        ("z=const(1,3,3,3); m=Mul(n,z); s=const(1,3,1,1); y=PRelu(m,s)", "same"),
        ("z=const(1,3,3,3); m=Mul(z,n); s=const(); y=PRelu(m,s)", "same"),
        ("z=const(1,3,3,3); m=Mul(z,n); g=const(3); v=const(3)=1; y=BatchNormalization(m,g,g,g,v)", "differs"),
        ("z=const(1,3,3,3); m=Mul(z,n); t=Tanh(m); y=GlobalMaxPool(t)", "differs"),
        ("z=const(1,3,3,3); m=Mul(z,n); y=MaxPool(m) kernel_shape=2,2", "same"),
    ] {
        let text = format!("x(1,2,3,3); k=const(3,2,1,1); n=Conv(x,k); {text}");
        assert_eq!(gravest(&text, "mnn"), want, "{text}");
    }
}

#[test]
fn layouts_of_channels() {
    let conv = "x(2,4,5,5); k=const(4,4,1,1); n=Conv(x,k)";
    for (text, want) in [
        ("x(2,4,5,5); n=GlobalMaxPool(x); c=const(1,1,1,1); r=Sub(c,n)", "differs"),
        ("x(2,3,2); n=GlobalAveragePool(x); c=const(1,1,1); r=Add(c,n)", "differs"),
        ("x(1,3,4); n=GlobalMaxPool(x); c=const(1,1,1); r=Add(c,n)", "same"),
        ("x(1,1,3,3); n=GlobalMaxPool(x); c=const(2,2); r=Div(n,c)", "differs"),
        ("x(1,1,3,3); n=GlobalMaxPool(x); c=const(1,1,2,2); r=Div(c,n)", "same"),
        ("x(1,1,3,3); n=GlobalMaxPool(x); c=const(8,1,1); r=Div(n,c)", "same"),
        ("x(1,1,3,3); n=GlobalMaxPool(x); z(2,2); r=Div(n,z)", "same"),
        ("x(1,5,3,3); s=const(5); n=PRelu(x,s); c=const(1,1,1,1); r=Mul(c,n)", "differs"),
        ("x(3,5); s=const(5); n=PRelu(x,s); c=const(1,1,1); r=Mul(n,c)", "differs"),
        ("x(1,5); s=const(5); n=PRelu(x,s); c=const(1,1); r=Mul(c,n)", "same"),
        ("x(1,5,3,3); s=const(5,1,1); n=PRelu(x,s); c=const(1,1,1,1); r=Mul(c,n)", "same"),
        ("x(2,5); g=const(5); v=const(5)=1; n=BatchNormalization(x,g,g,g,v); c=const(1,1); r=Mul(c,n)", "differs"),
        ("x(2,4,5,5); n=LRN(x) size=3; c=const(1,1,1,1); r=Sub(c,n)", "differs"),
        (&format!("{conv}; m=Softsign(n); c=const(1,1,1,1,1); r=Div(m,c)"), "differs"),
        (&format!("{conv}; m=Abs(n); c=const(1,1,1,1); r=Sub(c,m)"), "differs"),
        (&format!("{conv}; c=const(1,5)=-1,2,-3,4,-5; r=Greater(c,n)"), "differs"),
        (&format!("{conv}; c=const(1,5)=-1,2,-3,4,-5; r=Greater(n,c)"), "same"),
        (&format!("{conv}; c=const(); r=Greater(c,n)"), "same"),
        (&format!("{conv}; c=const(2,4,5,5); r=Greater(c,n)"), "same"),
        (&format!("{conv}; c(5,5); r=Greater(c,n)"), "same"),
        ("x(2,4,5,5); c=const(1,5)=-1,2,-3,4,-5; r=Greater(c,x)", "same"),
    ] {
        let (model, shapes) = model(text);
        let report = check(&model, &shapes, &["mnn".parse().expect("a target")]);
        assert_eq!(report.findings.last().expect("a finding").verdict.name(), want, "{text}");
    }
}

#[test]
fn ranks_behind_convolutions_along_one_axis() {
    let conv = "k=const(4,2,2); b=const(4); n=Conv(x,k,b)";
    for (text, want) in [
        (format!("x(2,2,3); {conv}; y=Relu(n)"), "differs"),
        (format!("x(2,2,3); {conv}; m=Relu(n); y=LeakyRelu(m)"), "differs"),
        (format!("x(s,2,3); {conv}; l=const(); y=Clip(n,l)"), "differs"),
        (format!("x(2,2,3); {conv}; s=const(); y=PRelu(n,s)"), "differs"),
        (format!("x(2,2,3); {conv}; s=const(4,1); y=PRelu(n,s)"), "same"),
        (format!("x(2,2,3); {conv}; l(); y=Clip(n,l)"), "same"),
        (format!("x(2,2,3); {conv}; y=Tanh(n)"), "same"),
        (format!("x(2,2,l); {conv}; y=Relu(n)"), "differs"),
        (format!("z(2,2,l); x=Abs(z); {conv}; y=Relu(n)"), "same"),
        (format!("z(s,2,3); x=Abs(z); {conv}; y=Relu(n)"), "differs"),
        (format!("x(2,2,3); {conv}; m=Relu(n); y=Tanh(m)"), "same"),
        ("x(2,2,3,3); k=const(4,2,2,2); b=const(4); n=Conv(x,k,b); y=Relu(n)".to_owned(), "same"),
    ] {
        let (model, shapes) = model(&text);
        let report = check(&model, &shapes, &["mnn".parse().expect("a target")]);
        assert_eq!(report.findings.last().expect("a finding").verdict.name(), want, "{text}");
    }
}

#[test]
fn constants_that_the_converter_computes() {
    for (text, want) in [
        ("a=const(2,3); s=const(3); k=PRelu(a,s); x(1); y=Mul(x,k)", "differs"),
        ("a=const(1,3); s=const(3); k=PRelu(a,s); x(1); y=Mul(x,k)", "same"),
        ("a=const(2,3); s=const(2,3); k=PRelu(a,s); x(1); y=Mul(x,k)", "same"),
        ("a=const(2,3,4); s=const(3,1); k=PRelu(a,s); x(1); y=Mul(x,k)", "same"),
        ("a=const(1,3); g=const(3); v=const(3)=1; k=BatchNormalization(a,g,g,g,v); x(1); y=Mul(x,k)", "differs"),
        ("a=const(1,3); g=const(3); k=InstanceNormalization(a,g,g); x(1); y=Mul(x,k)", "same"),
        ("a=const(2,3,4); g=const(3); k=InstanceNormalization(a,g,g); x(1); y=Mul(x,k)", "differs"),
    ] {
        assert_eq!(gravest(text, "mnn"), want, "{text}");
    }
}

#[test]
fn axes_that_are_taken_out_too_late() {
    for (text, want) in [
        ("x(4); w=const(4,5); n=MatMul(x,w); c=const(5); y=Add(n,c)", "same"),
        ("x(4); w=const(4,5); n=MatMul(x,w); c=const(5); y=Sum(c,n)", "same"),
        ("x(4); w=const(4,1); n=MatMul(x,w); c=const(); y=Add(n,c)", "same"),
        ("x(4); w=const(4,5); n=MatMul(x,w); c=const(1); y=Add(n,c)", "differs"),
        ("x(4); w=const(4,5); n=MatMul(x,w); r=Relu(n); c=const(5); y=Add(r,c)", "differs"),
        ("x(4); w=const(4,5); n=MatMul(x,w); c=const(5); y=Add(n,c); t=Tanh(n)", "differs"),
        ("x(4); w=const(4,5); n=MatMul(x,w); c=const(5); a=Add(n,c); d=const(5); y=Add(a,d)", "differs"),
        ("x(2,4); w=const(4); n=MatMul(x,w); c=const(2); y=Add(n,c)", "differs"),
        ("opset 11; x(2,1,3); n=Squeeze(x) axes=1; c=const(); y=Add(n,c)", "differs"),
        ("opset 11; x(2,1,3); n=Squeeze(x) axes=1; c=const(3); y=Sum(c,n)", "differs"),
        ("opset 11; x(2,1,3); n=Squeeze(x) axes=1; c=const(3); y=Add(n,c); z=Tanh(y)", "same"),
        ("opset 11; x(2,3,1); n=Squeeze(x) axes=2; c=const(3); y=Add(n,c); z=Tanh(y)", "differs"),
        ("opset 11; x(2,1,3); n=Squeeze(x) axes=1; c=const(1,3); y=Add(n,c)", "same"),
        ("opset 11; x(2,3,1); n=Squeeze(x) axes=-1; c=const(3); y=Add(n,c)", "same"),
        ("x(2,1,3); i=const:i64(1)=1; n=Squeeze(x,i); c=const(3); y=Add(n,c)", "same"),
        ("x(2,1,3); i=const:i64(1)=1; n=Squeeze(x,i); l=const()=0; h=const()=6; y=Clip(n,l,h)", "differs"),
        ("x(2,1,3); i=const:i64(1)=1; n=Squeeze(x,i); s=const(); y=PRelu(n,s); z=Tanh(y)", "same"),
        ("x(2,1,3); i=const:i64(1)=1; n=Squeeze(x,i); t=Tanh(n); s=const(); y=PRelu(t,s)", "differs"),
        ("x(2,1,3); i=const:i64(1)=1; n=Squeeze(x,i); y=Relu(n)", "same"),
        ("x(4); w=const(4,4); n=MatMul(x,w); c=const(1); y=Add(n,c)", "differs"),
        ("x(4); w=const(4,4); n=MatMul(x,w); c=const(1); y=Add(n,c); z=Tanh(y)", "same"),
        ("x(4); w=const(4,4); n=MatMul(x,w); c=const(1); y=Mul(n,c)", "same"),
        ("x(4); w(4,4); n=MatMul(x,w); c=const(1); y=Add(n,c)", "same"),
        ("x(3,4); w=const(4); n=MatMul(x,w); c=const(3); y=Add(n,c); z=Tanh(y)", "differs"),
        ("x(2,4); w=const(4,1); n=MatMul(x,w); c=const(1,1,1); y=Add(n,c)", "differs"),
        ("x(2,4); w=const(4,1); n=MatMul(x,w); c=const(1,1); y=Add(n,c)", "same"),
        ("a(3,4); b=const(3,5); n=Gemm(a,b) transA=1; c=const(); y=Mul(n,c)", "differs"),
        ("a(3,4); b(3,5); n=Gemm(a,b) transA=1; c=const(); y=Mul(n,c)", "same"),
    ] {
        assert_eq!(gravest(text, "mnn"), want, "{text}");
    }
}

#[test]
fn elements_past_an_end_have_no_value() {
    let found = example("c:bool(3,4); x(3,4); z(4); y=Where(c,x,z)");
    assert_eq!((found.element, found.target_shape), (vec![1, 0], vec![3, 4]));
    assert_eq!((found.target_reads.len(), found.there), (0, None));
    let found = example("x(1,8,4,5); s=const(5); y=PRelu(x,s)");
    assert_eq!((found.element, &found.reads[1], &found.target_reads[1]), (vec![0, 0, 0, 1], &vec![1], &vec![0]));
}

#[test]
fn grouped_convolutions_of_open_length() {
    for (text, want) in [
        ("x(2,8,n); r=Relu(x); w=const(8,2,1); b=const(8); c=Conv(r,w,b) group=4; s=const(8,1); y=Mul(c,s)", "unknown"),
        ("x(2,4,n); r=Relu(x); w=const(8,1,3); b=const(8); c=Conv(r,w,b) group=4; s=const(8,1); y=Mul(c,s)", "unknown"),
        ("x(2,4,n); r=Relu(x); w=const(4,1,3); b=const(4); c=Conv(r,w,b) group=4; s=const(4,1); y=Mul(c,s)", "same"),
        ("x(2,8,n); w=const(8,2,1); b=const(8); c=Conv(x,w,b) group=4; s=const(8,1); y=Mul(c,s)", "same"),
        ("x(n,8,7); r=Relu(x); w=const(8,2,1); b=const(8); c=Conv(r,w,b) group=4; s=const(8,1); y=Mul(c,s)", "same"),
        ("x(2,8,n); r=Relu(x); w=const(8,8,1); b=const(8); c=Conv(r,w,b); s=const(8,1); y=Mul(c,s)", "same"),
    ] {
        assert_eq!(gravest(text, "mnn"), want, "{text}");
    }
}

#[test]
fn comparisons_with_what_is_not_negative() {
    for (text, want) in [
        ("x(2,3); a=Relu(x); y(2,3); b=Abs(y); z=Add(a,b); c=const(3)=1,-2,3; r=Less(c,z)", "same"),
        ("x(2,3); a=Relu(x); y(2,3); z=Add(a,y); c=const(3)=1,-2,3; r=Less(c,z)", "differs"),
        ("x(2,3); a=Relu(x); y(2,3); z=Max(a,y); c=const(3)=1,-2,3; r=Less(c,z)", "same"),
        ("x(2,3); a=Exp(x); k=const:i64(1)=6; z=Reshape(a,k); c=const(1)=-2; r=Less(c,z)", "same"),
    ] {
        assert_eq!(gravest(text, "mnn"), want, "{text}");
    }
}
