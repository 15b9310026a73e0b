package holds

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/analysis/handover"
)

// Object is a History for JSON. Times are texts, lengths are in ms.
type Object struct {
	Since    string       `json:"since"`
	Until    string       `json:"until"`
	Count    int          `json:"count"`                    // how many ended in that time, at least
	Complete string       `json:"complete_since,omitempty"` // from when on all of them are below, if not from Since
	Missed   bool         `json:"missed,omitempty"`         // some changes weren't seen
	Usual    *UsualObject `json:"usual,omitempty"`
	Holds    []HoldObject `json:"holds"` // those that a filter selects: first those in progress, then the latest
}

// UsualObject is a Usual for JSON.
type UsualObject struct {
	Held   *RangeObject `json:"held,omitempty"`
	Waited *RangeObject `json:"waited,omitempty"`
}

// RangeObject is a Range for JSON: the middle 80 % of Count.
type RangeObject struct {
	LowMS  int64 `json:"low_ms"`
	HighMS int64 `json:"high_ms"`
	Count  int   `json:"count"`
}

// HoldObject is a Hold for JSON.
type HoldObject struct {
	Session string `json:"session,omitempty"` // empty if the znode belongs to no session
	Address string `json:"address,omitempty"`
	Znode   string `json:"znode"`
	Data    string `json:"data,omitempty"`
	Got     string `json:"got"`
	Had     bool   `json:"had,omitempty"` // it had it before that already
	Lost    string `json:"lost,omitempty"`
	Zxid    string `json:"zxid,omitempty"`   // of the loss
	Unsure  bool   `json:"unsure,omitempty"` // it lost it then at the latest
	Reason  string `json:"reason,omitempty"`
	By      string `json:"by,omitempty"`
	Waited  *int64 `json:"waited_ms,omitempty"`
	Held    *int64 `json:"held_ms,omitempty"` // left out unless it's exact
}

// Object returns what a filter selects for JSON. at writes a time in ms since 1970.
func (h *History) Object(f *Filter, at func(ms int64) string) Object {
	o := Object{Since: at(h.SinceMS), Until: at(h.UntilMS), Count: h.Of, Missed: h.Missed, Usual: h.Usual.Object(),
		Holds: []HoldObject{}}
	if h.FromMS != h.SinceMS {
		o.Complete = at(h.FromMS)
	}
	for _, one := range h.Select(f) {
		o.Holds = append(o.Holds, one.object(h.UntilMS, at))
	}
	return o
}

func (h *Hold) object(nowMS int64, at func(ms int64) string) HoldObject {
	o := HoldObject{Address: h.Addr, Znode: h.Znode, Data: h.Data, Got: at(h.GotMS), Had: h.Had, Unsure: h.Unsure}
	if h.Session != 0 {
		o.Session = handover.SessionText(h.Session)
	}
	if h.LostMS != 0 {
		o.Lost, o.Reason = at(h.LostMS), h.Reason.String()
	}
	if h.Zxid != 0 {
		o.Zxid = fmt.Sprintf("%#x", h.Zxid)
	}
	if h.By != 0 {
		o.By = handover.SessionText(h.By)
	}
	if ms, known := h.WaitedMS(); known {
		o.Waited = &ms
	}
	if ms, known := h.HeldMS(nowMS); known {
		o.Held = &ms
	}
	return o
}

// Object returns what is usual for JSON, nil if that isn't known.
func (u *Usual) Object() *UsualObject {
	o := UsualObject{u.Held.object(), u.Waited.object()}
	if o == (UsualObject{}) {
		return nil
	}
	return &o
}

func (r *Range) object() *RangeObject {
	if !r.Known() {
		return nil
	}
	return &RangeObject{r.LowMS, r.HighMS, r.N}
}
