package tap

import "encoding/binary"

// frames follows the frame boundaries of a stream, so that decoding can resume after a gap.
type frames struct {
	left int // bytes still to come of the current frame
	head [4]byte
	have int  // known bytes of the next length
	lost bool // a length was invalid: the boundaries are unknown from there on
}

// pass advances over b. It returns where the first frame in b begins, or -1.
func (f *frames) pass(b []byte) int {
	first := -1
	for i := 0; i < len(b) && !f.lost; {
		if f.left > 0 {
			n := min(f.left, len(b)-i)
			f.left -= n
			i += n
			continue
		}
		if f.have == 0 && first < 0 {
			first = i
		}
		f.head[f.have] = b[i]
		f.have++
		i++
		if f.have == len(f.head) {
			n := int32(binary.BigEndian.Uint32(f.head[:]))
			f.have, f.left, f.lost = 0, int(max(n, 0)), n < 0
		}
	}
	return first
}
