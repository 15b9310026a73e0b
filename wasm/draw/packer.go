package draw

// packer packs rectangles of a few heights into a square atlas, in rows as high as their first rectangle. It never
// moves anything; when it is full, it is emptied as a whole.
type packer struct {
	size int // width and height of the atlas, in pixels
	rows []row
	next int // y of the next row
}

type row struct{ y, height, used int }

// gap separates neighbours, so that no pixel of one shows at the edge of another.
const gap = 1

// place finds room for w by h pixels, or reports that the atlas is full.
func (s *packer) place(w, h int) (x, y int, ok bool) {
	w, h = w+gap, h+gap
	if w > s.size || h > s.size {
		return 0, 0, false
	}
	best := -1
	for i, r := range s.rows {
		if r.height >= h && r.height <= h+h/4 && r.used+w <= s.size && (best < 0 || r.height < s.rows[best].height) {
			best = i
		}
	}
	if best < 0 {
		if s.next+h > s.size {
			return 0, 0, false
		}
		best = len(s.rows)
		s.rows = append(s.rows, row{y: s.next, height: h})
		s.next += h
	}
	r := &s.rows[best]
	x, y = r.used, r.y
	r.used += w
	return x, y, true
}

// clear forgets everything placed.
func (s *packer) clear() { s.rows, s.next = s.rows[:0], 0 }
