package protocol

import (
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/base/jsontext"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// The kinds of requests: Request.Do.
const (
	Open    = "open"    // create and follow a run
	Observe = "observe" // observe a subtree of the cluster
	Zoo     = "zoo"     // observe a subtree of the ZooKeeper inside the server, or of another system there
	Contend = "contend" // run contender clients in it
	Inject  = "fault"   // inject a fault into the run
	WhatIf  = "fork"    // make a scenario of what was seen around a moment
	Explore = "explore" // look for a schedule that breaks a promise
	Resume  = "resume"  // continue with a run
	Past    = "past"    // show a period of the files, at a subtree
	File    = "file"    // show a trace file that the viewer has handed over
	Watches = "watches" // ask the cluster's servers who watches what
	Stop    = "stop"    // end the requests before it that aren't done
	Ping    = "ping"    // say something: the page wants to know whether anybody is there
)

// Request is a viewer's request. Do decides which fields count.
type Request struct {
	Do        string
	Lesson    string            // Open: a lesson's slug, or a Query
	Query     string            // Open, Explore: a scenario, in the form that run.ReadQuery reads
	Clients   int               // Contend: how many there should be
	Host      event.Host        // Open: a host on which clients run a recipe; simulated if empty
	Path      string            // Observe, Zoo, Past: the subtree; WhatIf: the znodes, or empty for where most happens
	Window    string            // Past: the period, in the form of Window
	Cluster   string            // Observe: the name of a configured cluster; empty for the one without a name
	System    event.SystemKind  // Zoo: the system inside the server; ZooKeeper if empty
	Class     string            // Zoo: the class whose clients are wanted, wherever they are; empty for none
	Branch    int               // Inject, WhatIf: the branch
	AtMS      int64             // WhatIf: the moment
	Fault     string            // Inject: the fault, in the form of engine/event/fault
	Name      string            // File: the name under which it was handed over
	Run       string            // Resume
	OwnFaults bool              // Explore: only faults of the kinds in the scenario
	From      map[int]event.Seq // Open, Resume: by branch, the first event wanted
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
	f("class", unlessZero, &r.Class)
	f("branch", unlessZero, &r.Branch)
	f("at_ms", unlessZero, &r.AtMS)
	f("fault", unlessZero, &r.Fault)
	f("name", unlessZero, &r.Name)
	f("run", unlessZero, &r.Run)
	f("own_faults", unlessZero, &r.OwnFaults)
	f("from", unlessZero, &r.From)
}

// AppendRequest appends r to dst in the form that ParseRequest reads.
func AppendRequest(dst []byte, r Request) []byte { return appendObject(dst, &r) }

const sample = `{"do":"open","lesson":"the-herd","host":"sim"}`

// ParseRequest reads a viewer's request. It trusts nothing in it. The error is a sentence for the viewer, and the
// returned Request has as much as is known.
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
	case WhatIf:
		return r.validateWhatIf()
	case Explore:
		if r.Query == "" {
			return sentence.Error("bad.explore")
		}
		return nil
	case File, Resume, Watches, Stop, Ping:
		return nil
	}
	return sentence.Error("bad.request", sentence.Quote(r.Do))
}

// TooManyFaults returns the error for a run from a page with more than MaxFaults.
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

func (r *Request) validateWhatIf() error {
	if most := event.MaxTime.Milliseconds(); r.AtMS < 0 || r.AtMS > most {
		return sentence.Error("bad.number", sentence.Quote("at_ms"), sentence.Number(int(most)), sentence.Number(int(r.AtMS)))
	}
	if r.Path == "" {
		return nil
	}
	return ValidatePath(r.Path)
}
