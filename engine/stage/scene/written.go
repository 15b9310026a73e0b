package scene

// text returns a label, or none if the text is empty.
//
//go:noinline
func text(s string, x, y float64, a face, anchor Anchor, i ink, room float64) label {
	return label{text: s, x: x, y: y, room: room, face: a, anchor: anchor, ink: i, alpha: 1}
}

// middle returns a label centred on x, y.
//
//go:noinline
func middle(s string, x, y float64, a face, i ink, room float64) label {
	return text(s, x, y+a.size*0.36, a, Middle, i, room)
}

// middleStart returns a label that begins at x and is vertically centred on y.
func middleStart(s string, x, y float64, a face, i ink, room float64) label {
	return text(s, x, y+a.size*0.36, a, Start, i, room)
}

func (b label) faded(alpha float64) label {
	b.alpha = alpha
	return b
}
