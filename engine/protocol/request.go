package protocol

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/jsontext"
)

// What a viewer can ask for: Request.Do.
const (
	Open    = "open"    // a run, which is made
	Observe = "observe" // a subtree of the cluster
	Zoo     = "zoo"     // a subtree of the ZooKeeper inside the server
	Contend = "contend" // clients of ours in it
	Inject  = "fault"   // something done to a client of the run
	Resume  = "resume"  // to go on with a run
)

// Request is what a viewer asks for. Which fields count is decided by Do.
type Request struct {
	Do      string
	Lesson  string            // Open: a lesson's slug, or a Recipe with its parameters, or a Query
	Recipe  string            // Open
	Clients int               // Open, recipe; Contend: how many there shall be
	Rounds  int               // Open, recipe
	Seed    uint64            // Open, recipe
	HoldMS  int64             // Open, recipe; 0 for the default
	Faults  []string          // Open, recipe: as engine/fault writes them
	Query   string            // Open: all of a recipe's scenario, as run.ParseQuery reads it
	Host    event.Host        // Open: one where clients run a recipe; simulated if empty
	Path    string            // Observe, Zoo: the subtree
	Branch  int               // Inject: what it is done to
	Fault   string            // Inject, as engine/fault writes it
	Run     string            // Resume
	From    map[int]event.Seq // Resume: by branch, the first event that is wanted
}

func (r *Request) fields(f field) {
	f("do", always, &r.Do)
	f("lesson", unlessZero, &r.Lesson)
	f("recipe", unlessZero, &r.Recipe)
	f("clients", unlessZero, &r.Clients)
	f("rounds", unlessZero, &r.Rounds)
	f("seed", unlessZero, &r.Seed)
	f("hold_ms", unlessZero, &r.HoldMS)
	f("faults", unlessZero, &r.Faults)
	f("query", unlessZero, &r.Query)
	f("host", unlessZero, (*string)(&r.Host))
	f("path", unlessZero, &r.Path)
	f("branch", unlessZero, &r.Branch)
	f("fault", unlessZero, &r.Fault)
	f("run", unlessZero, &r.Run)
	f("from", unlessZero, &r.From)
}

// AppendRequest adds r to dst as ParseRequest reads it.
func AppendRequest(dst []byte, r Request) []byte { return appendObject(dst, &r) }

const sample = `send one JSON object such as {"do":"open","lesson":"03-the-herd","host":"sim"}`

// ParseRequest reads what a viewer sent. It trusts nothing in it; the error is a sentence for the viewer, and comes
// with what was asked for as far as that is known.
func ParseRequest(text []byte) (Request, error) {
	if len(text) > MaxRequest {
		return Request{}, fmt.Errorf("a message has at most %d bytes, not %d", MaxRequest, len(text))
	}
	if !utf8.Valid(text) {
		return Request{}, errors.New("the message is not UTF-8; " + sample)
	}
	var r Request
	d := decoder{Decoder: jsontext.Decoder{Text: string(text)}, strict: true}
	if err := d.object(&r); err != nil {
		return Request{Do: Clip(r.Do)}, fmt.Errorf("the message was not understood: %s; %s", Clip(err.Error()), sample)
	}
	if d.More() {
		err := errors.New("there is more after the message's object; send one object in each message")
		return Request{Do: Clip(r.Do)}, err
	}
	if err := r.validate(); err != nil {
		return Request{Do: Clip(r.Do)}, err
	}
	return r, nil
}

func (r *Request) validate() error {
	switch r.Do {
	case Open:
		return r.validateOpen()
	case Observe, Zoo:
		return ValidatePath(r.Path)
	case Contend:
		if r.Clients < 0 || r.Clients > MaxContenders {
			return fmt.Errorf(`"clients" is 0 to %d, not %d`, MaxContenders, r.Clients)
		}
		return nil
	case Inject:
		_, err := fault.Parse(r.Fault)
		return clipped(err)
	case Resume:
		return nil
	}
	return fmt.Errorf(`there is no "do":%q; there are open, observe, zoo, contend, fault and resume`, Clip(r.Do))
}

func clipped(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(Clip(err.Error()))
}

func (r *Request) validateOpen() error {
	switch {
	case !onlyOne(r.Lesson, r.Recipe, r.Query):
		return errors.New(`"open" takes either a "lesson" or a "recipe" or a "query"`)
	case r.Host != "" && !r.Host.Traits().Recipe:
		return fmt.Errorf(`"host" is "sim" or "live", not %q`, Clip(string(r.Host)))
	case r.HoldMS < 0 || r.HoldMS > time.Hour.Milliseconds():
		return fmt.Errorf(`"hold_ms" is 0 to %d, not %d`, time.Hour.Milliseconds(), r.HoldMS)
	case len(r.Faults) > MaxFaults:
		return fmt.Errorf("a run from a page takes up to %d faults, not %d", MaxFaults, len(r.Faults))
	case r.Recipe == "" && (r.Clients != 0 || r.Rounds != 0 || r.Seed != 0 || r.HoldMS != 0 || len(r.Faults) > 0):
		return errors.New(`parameters such as "clients" go with a "recipe"; a lesson and a query have their own`)
	}
	for _, text := range r.Faults {
		if _, err := fault.Parse(text); err != nil {
			return clipped(err)
		}
	}
	return nil
}

// onlyOne reports whether exactly one of the texts is not empty.
func onlyOne(texts ...string) bool {
	given := 0
	for _, s := range texts {
		if s != "" {
			given++
		}
	}
	return given == 1
}
