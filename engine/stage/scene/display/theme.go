package display

// Theme holds the colours of a picture. The style sheet has custom properties of the same names.
type Theme struct {
	Paper  Colour    // background
	Panel  Colour    // ZooKeeper's box
	Card   Colour    // a znode, the strip
	Edge   Colour    // outlines and the lines of the tree
	Ink    Colour    // text
	Soft   Colour    // less important text
	Faint  Colour    // empty rings, links
	Accent Colour    // what matters now
	OnAcc  Colour    // text on Accent
	Lit    Colour    // the holder's card
	Signal Colour    // a firing watch, a wrong belief
	OnSig  Colour    // text on Signal
	Grey   Colour    // what is over
	Client [6]Colour // after Okabe and Ito, distinguishable for the colour-blind
	Epoch  [3]Colour // epochs of servers in turn; no client's colour, and not like one for the colour-blind
}

// Light returns the theme for paper and bright rooms.
func Light() Theme {
	return Theme{
		Paper: 0xfbfbf9ff, Panel: 0xf1f4f3ff, Card: 0xffffffff, Edge: 0xc3ceccff,
		Ink: 0x1f2927ff, Soft: 0x57635fff, Faint: 0xdde4e2ff,
		Accent: 0x0b5d4bff, OnAcc: 0xffffffff, Lit: 0xdff3ebff,
		Signal: 0xb84a00ff, OnSig: 0xffffffff, Grey: 0xb4bdbaff,
		Client: [6]Colour{0x0072b2ff, 0xe69f00ff, 0x009e73ff, 0xcc79a7ff, 0x56b4e9ff, 0xd55e00ff},
		Epoch:  [3]Colour{0x6a5a2aff, 0x0b5d4bff, 0x46306aff},
	}
}

// Dark returns the theme for dark rooms.
func Dark() Theme {
	return Theme{
		Paper: 0x131917ff, Panel: 0x1c2422ff, Card: 0x28322fff, Edge: 0x4a5854ff,
		Ink: 0xeef3f1ff, Soft: 0xa9b6b2ff, Faint: 0x38433fff,
		Accent: 0x5fd0b0ff, OnAcc: 0x0c1a16ff, Lit: 0x1d4a3dff,
		Signal: 0xff9a52ff, OnSig: 0x201004ff, Grey: 0x8f9c97ff,
		Client: [6]Colour{0x3d9fdfff, 0xe69f00ff, 0x2bb98eff, 0xd98cb5ff, 0x7cc8f2ff, 0xe8762bff},
		Epoch:  [3]Colour{0xf0f0b0ff, 0x5fd0b0ff, 0x7a48d0ff},
	}
}

// Of returns the colour of client i, from 0.
func (t *Theme) Of(i int) Colour { return t.Client[i%len(t.Client)] }
