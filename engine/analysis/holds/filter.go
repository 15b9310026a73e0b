package holds

import (
	"net"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Ending names the reasons for which a hold ended, for flags and forms.
type Ending string

// endings are the reasons by their names, in the order in which a form lists them.
var endings = [...]struct {
	name Ending
	whys []handover.Why
}{
	{"expired", []handover.Why{handover.Expired}},
	{"let-go", []handover.Why{handover.LetGo}},
	{"closed", []handover.Why{handover.Closed}},
	{"deleted", []handover.Why{handover.ByOther, handover.Deleted}},
	{"other", []handover.Why{handover.Timer, handover.Emptied, handover.Ahead}},
	{"unknown", []handover.Why{handover.Unknown}},
}

// Endings returns all of them.
func Endings() (all []Ending) {
	for _, e := range endings {
		all = append(all, e.name)
	}
	return all
}

// ParseEnding returns the Ending with a name.
func ParseEnding(name string) (e Ending, err error) {
	if !slices.Contains(Endings(), Ending(name)) {
		var names []string
		for _, e := range Endings() {
			names = append(names, string(e))
		}
		return "", sentence.Error("hands.endings", sentence.Quote(name), sentence.Text(strings.Join(names, ", ")))
	}
	return Ending(name), nil
}

// Said names it in words.
func (e Ending) Said() sentence.Sentence { return sentence.Of("hands.ending." + string(e)) }

// Has reports whether a reason is among it. The zero Ending has all.
func (e Ending) Has(why handover.Why) bool {
	for _, of := range endings {
		if of.name == e {
			return slices.Contains(of.whys, why)
		}
	}
	return e == ""
}

// Filter selects holds. Its zero value selects all.
type Filter struct {
	SinceMS int64  // those that lasted until then or longer, in ms since 1970
	Why     Ending // those that ended so
	Who     string // those of one Client
}

// Any reports whether it selects anything but all.
func (f *Filter) Any() bool { return *f != Filter{} }

// Has reports whether it selects a hold.
func (f *Filter) Has(h *Hold) bool {
	return (h.LostMS == 0 || h.LostMS >= f.SinceMS) && f.Ended(h.Why()) && f.Client(h.Session, h.Addr, h.Data)
}

// Ended reports whether it selects what ended for a reason, "" if it hasn't.
func (f *Filter) Ended(why handover.Why) bool { return f.Why.Has(why) }

// Client reports whether it selects a client: by its session, by its address with the port or without, or by a part of
// what it wrote.
func (f *Filter) Client(session int64, addr, data string) bool {
	if f.Who == "" || strings.EqualFold(f.Who, handover.SessionText(session)) || addr == f.Who {
		return true
	}
	host, _, err := net.SplitHostPort(addr)
	return err == nil && host == f.Who || strings.Contains(data, f.Who)
}
