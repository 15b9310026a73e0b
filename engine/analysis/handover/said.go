package handover

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// The words of the facts are hands.why.WHY and hands.held.BOUNDS in the language files. The panel looks them up
// itself; the list of locks, the commands and the page of transaction logs have the sentences from here. These are
// functions: methods would be in the page's program although nobody calls them there.

// SessionText writes a session as servers do.
func SessionText(id int64) string { return "0x" + strconv.FormatUint(uint64(id), 16) }

// Session writes a session as servers do, or says that there is none.
func Session(id int64) sentence.Arg {
	if id == 0 {
		return sentence.Sentences(sentence.Of("hands.ownerless"))
	}
	return sentence.Text(SessionText(id))
}

// Because says why somebody lost it, who is "it" there. read means that zkviz only reads, which can't tell.
func Because(c *Change, read bool) sentence.Arg {
	return sentence.Sentences(sentence.Of(WhyKey(c.Why(), read), Session(c.By)))
}

// WhyKey returns the key of the words of a reason. read means that zkviz only reads, which can't tell.
func WhyKey(why Why, read bool) string {
	if why == Unknown && read {
		return "hands.why.read"
	}
	return "hands.why." + string(why)
}

// Gone says that a znode was deleted, why if that isn't plain from who did it, and how long it existed, if that isn't
// negative. owner is the session that owned it, 0 for none.
func Gone(znode sentence.Arg, why Why, owner, livedMS int64) (s sentence.Sentence) {
	switch {
	case why == Closed, why == Expired, why == Timer, why == Emptied:
		because := sentence.Of("hands.why."+string(why), Session(owner))
		s = sentence.Of("hands.gone.because", znode, sentence.Sentences(because))
	case owner != 0 && (why == ByOther || why == Deleted):
		s = sentence.Of("hands.gone.other", znode, Session(owner))
	default:
		s = sentence.Of("hands.gone", znode)
	}
	if livedMS >= 0 {
		s = sentence.Of("hands.gone.after", sentence.Sentences(s), Precisely(livedMS))
	}
	return s
}

// Lasted says how long somebody has held it. span writes a time in ms.
func Lasted(l Length, span func(ms int64) sentence.Arg) sentence.Sentence {
	least, most := sentence.Of("hands.held.exactly", span(l.MS)), sentence.Of("hands.held.exactly", span(l.Most))
	bounds := l.Bounds(least.String() == most.String())
	return sentence.Of("hands.held."+string(bounds), least.Args[0], most.Args[0])
}

// Says says what a change of a transaction log did to the session that it's about, which has it by the znode: why, for
// how long, and how many wait.
func Says(c *Change, znode sentence.Arg) (s sentence.Sentence) {
	add := func(key string, args ...sentence.Arg) {
		s = sentence.Of(key, append([]sentence.Arg{sentence.Sentences(s)}, args...)...)
	}
	switch perhaps := c.Unsure && c.Reason == event.NoReason; {
	case perhaps && c.Got && c.Hand.Had:
		s = sentence.Of("hands.said.has", znode)
	case perhaps && c.Got:
		s = sentence.Of("hands.said.first", znode)
	case perhaps:
		s = sentence.Of("hands.said.had", znode)
	case c.Got:
		s = sentence.Of("hands.said.got", znode)
		switch waited, known := c.Waited(); {
		case known && waited > 0:
			add("hands.said.waited", Precisely(waited))
		case known && waited < 0:
			add("hands.said.clock")
		}
	default:
		s = sentence.Of("hands.said.lost", znode, Because(c, false))
		switch held := c.Hand.Held(c.TimeMS); {
		case c.Unsure:
			add("hands.said.perhaps")
		case held.MS < 0:
			add("hands.said.clock")
		case !c.Never:
			add("hands.said.held", sentence.Sentences(Lasted(held, Precisely)))
		}
	}
	if c.Waiting > 0 {
		add("hands.said.waiting", sentence.Number(c.Waiting))
	}
	return s
}
