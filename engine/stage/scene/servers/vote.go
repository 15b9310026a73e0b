package servers

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// detailPlan is a small shape on a server.
type detailPlan struct {
	geom.Rect
	look detailLook
	part float64 // part of a wait that is over
}

type detailLook uint8

const (
	decides    detailLook = iota // below the field of a vote that decided
	saysSame                     // a voter that voted the same
	saysOther                    // or something else
	saysNot                      // or hasn't been heard
	waits                        // for a better vote
	windowPart                   // the leader's transactions in memory
	cutLine                      // where it is truncated
	copied                       // the place of a whole copy
)

func (e *ensemble) detail(look detailLook, r geom.Rect) *detailPlan {
	e.details = append(e.details, detailPlan{})
	d := &e.details[len(e.details)-1]
	d.Rect, d.look = r, look
	return d
}

// votes plans what the servers of an election say.
type votes struct{ *ensemble }

// fields holds a vote in words, shortened so that all fit.
type fields struct {
	text  [3]string
	field [3]view.VoteField
	n     int
}

func (f *fields) add(s string, is view.VoteField) {
	f.text[f.n], f.field[f.n] = s, is
	f.n++
}

// planVote plans a server's vote as a row of the table of votes: epoch, last write and server, in the order in which
// votes are compared. The field that decided is bold and underlined. It returns the room that is left.
func (vs *votes) planVote(p *serverPlan, s *view.Server, at geom.Rect) (rest geom.Rect) {
	b, m := &s.Ballot, &vs.f.Sizes
	v, x := &b.Vote, at.X
	whom := vs.f.Server(v.For.Number())
	zxid, epoch := vs.f.Hex(v.Zxid), vs.f.Num(int64(v.Epoch)).Label()
	write := zxid
	if view.EpochOf(v.Zxid) == int64(v.Epoch) {
		write = vs.f.Num(v.Zxid & counterMask).Label()
	}
	f := vs.fitVote(at.W, epoch, write, whom, b.Decided)
	gap, first := vs.fieldGap(), len(vs.f.Texts)
	for i := range f.n {
		a, y := m.Small, at.MidY()+m.Small.Size*0.36
		if f.field[i] == b.Decided && b.Decided != view.NoField {
			a = m.Note
			vs.detail(decides, geom.R(x, y+a.Size*0.14, a.Width(f.text[i]), 0))
		}
		w := m.Note.Width(f.text[i])
		vs.f.Texts = append(vs.f.Texts, text.At(f.text[i], x, y, a, text.Start, text.InkPlain, w))
		x += w + gap
	}
	r := vs.f.Texts[first].Bounds()
	for i := range vs.f.Texts[first:] {
		r = r.With(vs.f.Texts[first+i].Bounds())
	}
	vs.f.Shows(mark.Vote, p.id, vs.f.Say(epoch, " ", zxid, " ", whom, " ").Num(v.Round).
		Say(" ", fieldNames[b.Decided]).Label(), r)
	return geom.R(x, at.Y, at.Right()-x, at.H)
}

// voteSaid describes a server's vote in words.
func (vs *votes) voteSaid(s *view.Server) string {
	v := &s.Ballot.Vote
	said := vs.f.Phrase("scene.server.voted", vs.f.Server(v.For.Number()),
		vs.f.Num(int64(v.Epoch)).Label(), vs.f.Hex(v.Zxid), vs.f.Num(v.Round).Label())
	if by := vs.decidedBy(s.Ballot.Decided); by != "" {
		said = vs.f.Say(said, ", ", by).Label()
	}
	return said
}

// fieldNames holds the names of the fields in marks.
var fieldNames = [...]string{view.EpochField: "epoch", view.ZxidField: "zxid", view.ServerField: "server",
	view.RoundField: "round"}

func (vs *votes) decidedBy(f view.VoteField) string {
	if f == view.NoField {
		return ""
	}
	return vs.f.Filled("scene.server.decided", vs.f.Options.Words["scene.vote."+fieldNames[f]])
}

func (vs *votes) fieldGap() float64 { return vs.f.Sizes.Small.Size * 0.7 }

// fitVote returns as much of a vote as fits: with words, without an epoch that decided nothing, without words, or only
// its candidate.
func (vs *votes) fitVote(room float64, epoch, write, whom string, decided view.VoteField) (f fields) {
	a, gap := vs.f.Sizes.Note, vs.fieldGap()
	for_ := vs.f.Phrase("scene.server.vote", whom)
	epochs := [2]string{vs.f.Phrase("scene.server.epoch", epoch), epoch}
	whoms := [2]string{for_, whom}
	writes := [2]string{vs.f.Phrase("scene.server.write", write), write}
	if room < a.Width(epochs[0])+a.Width(writes[0])+a.Width(for_)+2*gap && decided != view.EpochField &&
		a.Width(writes[0])+a.Width(for_)+gap <= room {
		f.add(writes[0], view.ZxidField)
		f.add(for_, view.ServerField)
		return f
	}
	for _, try := range [...][3]int{{}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}} {
		epoch, write, whom := epochs[try[0]], writes[try[1]], whoms[try[2]]
		if a.Width(epoch)+a.Width(write)+a.Width(whom)+2*gap > room {
			continue
		}
		f.add(epoch, view.EpochField)
		f.add(write, view.ZxidField)
		f.add(whom, view.ServerField)
		return f
	}
	f.add(a.Fit(room, for_, whom), view.ServerField)
	return f
}

// planBallot plans which servers agree with a server's vote: a dot for each voter, filled if it agrees, and below them
// how much of the wait for a better vote is over.
func (vs *votes) planBallot(p *serverPlan, i int, s *view.Server, at geom.Rect) {
	f := vs.f
	b, n := &s.Ballot, f.State.Ensemble.Voters(&f.State.Header)
	size := min(vs.visitorSize(), at.H)
	x, y, room := at.X, at.MidY()-size/2, at.W
	if b.Vote.For == 0 || n == 0 || room < float64(n)*4 {
		return
	}
	step := min(size*0.75, room/float64(n))
	d := min(step*0.74, size*0.5)
	for k := range n {
		look := saysOther
		switch v := b.Heard(k + 1); {
		case k == i || v == b.Vote:
			look = saysSame
		case v.For == 0:
			look = saysNot
		}
		vs.detail(look, geom.R(x+float64(k)*step+(step-d)/2, y+(size*0.6-d)/2, d, d))
	}
	block := geom.R(x, y, float64(n)*step, size)
	count, of := f.Num(int64(f.State.Ensemble.Agree(&f.State.Header, i+1))).Label(), f.Num(int64(n)).Label()
	f.Shows(mark.Agree, p.id, count, geom.R(x, y, block.W, size*0.6))
	a, words := f.Sizes.Small, f.Phrase("scene.server.agree.short", count, of)
	if w := a.Width(words); block.W+4+w <= room {
		label := text.CentredFrom(words, block.Right()+4, y+size*0.3, a, text.InkSoft, w)
		f.Texts = append(f.Texts, label)
		block.W += 4 + w
	}
	if b.Final > 0 {
		bar := vs.detail(waits, geom.R(x, y+size*0.72, block.W, size*0.22))
		bar.part = vs.waited(b)
		f.Shows(mark.Final, p.id, "", bar.Rect)
	}
}

// waited returns the part of a server's wait for a better vote that is over. A still picture shows it as of the last
// event.
func (vs *votes) waited(b *view.Ballot) float64 {
	f := vs.f
	if !f.Options.Still {
		return f.Passed(b.Final-b.Waits, b.Waits)
	}
	return min(max(float64(f.At-b.Final+b.Waits)/float64(max(b.Waits, 1)), 0), 1)
}

// planCount plans how many agree with server i, in the place of its epoch, and returns its width.
func (vs *votes) planCount(p *serverPlan, i int, at geom.Rect) (width float64) {
	f, a := vs.f, vs.f.Sizes.Small
	agree := vs.agreeSaid(i, "scene.server.agree.short")
	brief := f.Num(int64(f.State.Ensemble.Agree(&f.State.Header, i+1))).Say("/").
		Num(int64(f.State.Ensemble.Voters(&f.State.Header))).Label()
	p.epoch = text.At(a.Fit(at.W, agree, brief), at.X, at.Y, a, text.Start, text.InkSoft, at.W)
	return a.Width(p.epoch.Text)
}

// agreeSaid says how many of all voters agree with server i, as far as it has heard, with the words of a key.
func (vs *votes) agreeSaid(i int, key string) string {
	f := vs.f
	agree, voters := f.State.Ensemble.Agree(&f.State.Header, i+1), f.State.Ensemble.Voters(&f.State.Header)
	return f.Phrase(key, f.Num(int64(agree)).Label(), f.Num(int64(voters)).Label())
}

// ballotSaid says how many servers agree, as far as a server has heard and including itself.
func (vs *votes) ballotSaid(i int, s *view.Server) string {
	f, said := vs.f, vs.agreeSaid(i, "scene.server.agree")
	if s.Ballot.Final > 0 {
		said = f.Say(said, ", ", f.Phrase("scene.server.final")).Label()
	}
	return said
}

// shown reports whether a server's vote is shown.
func (vs *votes) shown(s *view.Server) bool {
	return s.Up && s.Phase == event.Electing && s.Ballot.Vote.For != 0 && vs.f.Options.Without&mark.VoteTerm == 0
}
