package scene

// storePlan is what a lock protects: its name, what there is to say of it, and what was written to it.
type storePlan struct {
	rect        // without height there is none
	stressed    bool
	name, about label
	trays       []rect // where there is more than one
	papers      []rect // the sheets that its pages are on
	pages       []pagePlan
	tears       []tearPlan
	chips       []chipPlan
	halves      []halvesPlan // the document and its copies
	more        label        // how many are out of sight
	verdict     tag          // what is wrong with it; without width nothing
	arrivals    []arrivalPlan
}

// emptied is an empty plan with the memory of s.
func (s *storePlan) emptied() storePlan {
	return storePlan{trays: s.trays[:0], papers: s.papers[:0], pages: s.pages[:0], tears: s.tears[:0],
		chips: s.chips[:0], halves: s.halves[:0], arrivals: s.arrivals[:0]}
}

// pagePlan is a page in the colour of its client, with its letter.
type pagePlan struct {
	rect
	client  int
	letter  label
	late    spotMark // its client was not inside, and thought that it was
	refused bool
}

// tearPlan is an edge between pages of different clients, on one sheet.
type tearPlan struct{ x, top, bottom float64 }

// chipPlan is a write, a number or a task: the letter of its client in its colour, and a text.
type chipPlan struct {
	rect
	look   chipLook
	client int // -1 for nobody
	badge  rect
	letter label
	text   label
	mark   spotMark // that it is done, or refused; without radius there is none
}

type chipLook uint8

const (
	asWritten chipLook = iota
	asWrong            // refused, or what must not be
	asOpen             // nobody's, or left where it was
	asDone
)

// arrivalPlan is the way of a write to the store that has just arrived there.
type arrivalPlan struct {
	client  int
	way     path
	paper   rect // it, on its way; without width it is there
	refused bool
	x, y    float64 // where it arrived
}
