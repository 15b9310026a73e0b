package tap

import "encoding/binary"

// frames counts the frames of a stream as it passes, so that one can go on with the next after a gap.
type frames struct {
	left int // bytes of the frame under way that are still to come
	head [4]byte
	have int  // bytes of the next length
	lost bool // a length made no sense: where frames begin is not known any more
}

// pass counts on over b. It returns where the first frame begins in b, and -1 if none does.
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
