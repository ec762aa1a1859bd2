//! The operators: one unit struct each, with one pure function of single elements.

/// Defines functions of one number, a row each: documentation, name, and the result in f32 and in f64.
///
/// A row `NameBy<M> as Name, NameFused` defines a function with fused operations as `M` has them, with the two names for those of
/// every machine and for those of machines that have an instruction. After `usual` follow the largest usual magnitude and the
/// results up to it.
macro_rules! functions {
    ($(
        #[$doc:meta] $name:ident $(<$by:ident> as $default:ident, $fused:ident)?:
        |$x:ident| $narrow:expr, $wide:expr $(, usual $usual:expr, $narrow_usual:expr, $wide_usual:expr)?;
    )+) => { $(
        #[$doc]
        pub(crate) struct $name $(<$by>(std::marker::PhantomData<$by>))?;
        $(
            #[$doc]
            pub(crate) type $default = $name<$crate::math::float_n::FmaDefault>;
            #[$doc]
            pub(crate) type $fused = $name<$crate::math::float_n::FmaHardware>;
        )?
        impl $(<$by: $crate::math::float_n::Fma>)? $crate::number::Function for $name $(<$by>)? {
            #[inline(always)]
            fn narrow($x: f32) -> f32 { $narrow }
            #[inline(always)]
            fn wide($x: f64) -> f64 { $wide }
            $(
                const USUAL: f64 = $usual;
                #[inline(always)]
                fn narrow_usual($x: f32) -> f32 { $narrow_usual }
                #[inline(always)]
                fn wide_usual($x: f64) -> f64 { $wide_usual }
            )?
        }
    )+ };
}

/// Defines functions of two numbers: documentation, name, and the result in f32 and in f64.
macro_rules! functions2 {
    ($(#[$doc:meta] $name:ident: |$a:ident, $b:ident| $narrow:expr, $wide:expr;)+) => { $(
        #[$doc]
        pub(crate) struct $name;
        impl $crate::number::Function2 for $name {
            #[inline(always)]
            fn narrow($a: f32, $b: f32) -> f32 { $narrow }
            #[inline(always)]
            fn wide($a: f64, $b: f64) -> f64 { $wide }
        }
    )+ };
}

/// Defines operators of one element: documentation, name, kind of element, dtype of the result, and the result.
macro_rules! unary {
    ($(#[$doc:meta] $name:ident<$ty:ident: $kind:ident> -> $out:ty: |$x:ident| $value:expr;)+) => { $(
        #[$doc]
        pub(crate) struct $name;
        impl<$ty: $kind> $crate::loops::Unary<$ty> for $name {
            type Out = $out;
            #[inline(always)]
            fn apply($x: $ty) -> $out { $value }
        }
    )+ };
}

/// Defines operators of two elements, as [`unary`], and after `commutes` whether these can be exchanged.
macro_rules! binary {
    ($(
        #[$doc:meta] $name:ident<$ty:ident: $kind:ident> -> $out:ty:
        |$a:ident, $b:ident| $value:expr $(, commutes $commutes:expr)?;
    )+) => { $(
        #[$doc]
        pub(crate) struct $name;
        impl<$ty: $kind> $crate::loops::Binary<$ty> for $name {
            type Out = $out;
            $(const COMMUTES: bool = $commutes;)?
            #[inline(always)]
            fn apply($a: $ty, $b: $ty) -> $out { $value }
        }
    )+ };
}

pub(crate) mod activation;
pub(crate) mod round;
pub(crate) mod arith;
pub(crate) mod bits;
pub(crate) mod cast;
pub(crate) mod compare;
pub(crate) mod divisors;
pub(crate) mod exp;
pub(crate) mod floats;
pub(crate) mod trig;
pub(crate) mod lanewise;
pub(crate) mod like;
pub(crate) mod logic;
pub(crate) mod select;
mod widened;
pub(crate) mod pair;
