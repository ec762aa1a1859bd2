//! NumPy, and what follows it: torch, JAX, `CuPy`. Every operand aligns to the right and may stretch.

use super::{Deployment, Evidence, Law, PLAIN, Profile, Way};
use crate::meaning::Kind;

pub(super) static NUMPY: Profile = Profile {
    name: "numpy",
    title: "NumPy, PyTorch, JAX",
    deployment: Deployment::Framework,
    summary: "NumPy, PyTorch, JAX: standard right-aligned broadcasting",
    aliases: &["torch", "jax"],
    laws: &[
        Law {
            kinds: &[
                Kind::Stretch,
                Kind::Channel,
                Kind::Unary,
                Kind::Lists,
                Kind::Blocks,
                Kind::Lengths,
                Kind::Mask,
                Kind::Contrib,
            ],
            when: &[],
            way: Way::Own,
            text: "receives the shape",
            evidence: Evidence::documented("NumPy, broadcast_to"),
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: Evidence::run_here("NumPy 2.4; conformance, test_engines.py"),
        },
    ],
    ..PLAIN
};
