use super::*;

#[test]
fn buffers_are_aligned_and_zero() {
    for len in [0, 1, 63, 4096, 1 << 20] {
        let buffer = Buffer::zeroed(len).expect("small");
        assert_eq!((buffer.bytes().len(), buffer.bytes().as_ptr().addr() % ALIGNMENT), (len, 0));
        assert!(buffer.bytes().iter().all(|&byte| byte == 0));
    }
    assert!(Buffer::zeroed(usize::MAX - 3).is_none());
}
