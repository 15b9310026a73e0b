package protocol

import (
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/jsontext"
	"github.com/zkviz/zkviz/engine/sentence"
)

// What a viewer can ask for: Request.Do.
const (
	Open    = "open"    // a run, which is made
	Observe = "observe" // a subtree of the cluster
	Zoo     = "zoo"     // a subtree of the ZooKeeper inside the server, or another system there
	Contend = "contend" // clients of ours in it
	Inject  = "fault"   // something done to a client of the run
	Resume  = "resume"  // to go on with a run
	Past    = "past"    // a while of what files tell, at a subtree
	Watches = "watches" // that the servers of the cluster are asked who watches what
)

// Request is what a viewer asks for. Which fields count is decided by Do.
type Request struct {
	Do      string
	Lesson  string            // Open: a lesson's slug, or a Query
	Query   string            // Open: a scenario, as run.ReadQuery reads it
	Clients int               // Contend: how many there shall be
	Host    event.Host        // Open: one where clients run a recipe; simulated if empty
	Path    string            // Observe, Zoo, Past: the subtree
	Window  string            // Past: from when to when, as Window writes it
	Cluster string            // Observe: one of those that the operator named, by its name; the one without if empty
	System  event.SystemKind  // Zoo: which one inside the server; ZooKeeper if empty
	Branch  int               // Inject: what it is done to
	Fault   string            // Inject, as engine/fault writes it
	Run     string            // Resume
	From    map[int]event.Seq // Resume: by branch, the first event that is wanted
}

func (r *Request) fields(f field) {
	f("do", always, &r.Do)
	f("lesson", unlessZero, &r.Lesson)
	f("query", unlessZero, &r.Query)
	f("clients", unlessZero, &r.Clients)
	f("host", unlessZero, (*string)(&r.Host))
	f("path", unlessZero, &r.Path)
	f("window", unlessZero, &r.Window)
	f("cluster", unlessZero, &r.Cluster)
	f("system", unlessZero, (*string)(&r.System))
	f("branch", unlessZero, &r.Branch)
	f("fault", unlessZero, &r.Fault)
	f("run", unlessZero, &r.Run)
	f("from", unlessZero, &r.From)
}

// AppendRequest adds r to dst as ParseRequest reads it.
func AppendRequest(dst []byte, r Request) []byte { return appendObject(dst, &r) }

const sample = `{"do":"open","lesson":"03-the-herd","host":"sim"}`

// ParseRequest reads what a viewer sent. It trusts nothing in it; the error is a sentence for the viewer, and comes
// with what was asked for as far as that is known.
func ParseRequest(text []byte) (Request, error) {
	if len(text) > MaxRequest {
		return Request{}, sentence.Error("bad.message.long", sentence.Number(MaxRequest), sentence.Number(len(text)))
	}
	if !utf8.Valid(text) {
		return Request{}, sentence.Error("bad.message.utf8", sentence.Text(sample))
	}
	var r Request
	d := decoder{Decoder: jsontext.Decoder{Text: string(text)}, strict: true}
	if err := d.object(&r); err != nil {
		return Request{Do: Clip(r.Do)}, sentence.Wrap(err, "bad.message", sentence.Text(sample))
	}
	if d.More() {
		return Request{Do: Clip(r.Do)}, sentence.Error("bad.message.more")
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
	case Past:
		if _, err := ParseWindow(r.Window); err != nil {
			return err
		}
		return ValidatePath(r.Path)
	case Contend:
		if r.Clients < 0 || r.Clients > MaxContenders {
			return sentence.Error("bad.number", sentence.Quote("clients"), sentence.Number(MaxContenders),
				sentence.Number(r.Clients))
		}
		return nil
	case Inject:
		f, err := fault.Parse(r.Fault)
		if err == nil && f.Hold != 0 {
			return sentence.Error("bad.fault.held", sentence.Quote(r.Fault))
		}
		return err
	case Resume, Watches:
		return nil
	}
	return sentence.Error("bad.request", sentence.Quote(r.Do))
}

// TooManyFaults is the error of a run from a page with more than MaxFaults.
func TooManyFaults(n int) error {
	return sentence.Error("bad.faults.page", sentence.Number(MaxFaults), sentence.Number(n))
}

func (r *Request) validateOpen() error {
	switch {
	case (r.Lesson == "") == (r.Query == "") || r.Clients != 0:
		return sentence.Error("bad.open")
	case r.Host != "" && !r.Host.Traits().Recipe:
		return sentence.Error("bad.host", sentence.Quote(r.Host))
	}
	return nil
}
