package etcd

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/remote"
)

// LeaseID is the number of a lease.
type LeaseID int64

// String is the number as etcd's own tools show it.
func (id LeaseID) String() string { return strconv.FormatInt(int64(id), 16) }

// Kind is what a Call asks for.
type Kind uint8

// The kinds. A plain read, write or deletion is a transaction without conditions.
const (
	Txn Kind = iota
	Grant
	KeepAlive
	Revoke
	Watch
)

// Call is a request with its arguments; which it has is said by its kind.
type Call struct {
	Kind Kind

	// Of a Txn: what is done if all the conditions hold, and what else. Of what it does nobody sees a part.
	If         []Condition
	Then, Else []Op

	Lease LeaseID
	TTL   int64 // of a Grant, in seconds

	// Of a Watch, which ends with the first deletion that it tells of.
	Key  string
	From int64 // the first revision that counts
}

// Condition is that a key was created at a revision, or, for 0, that it is not there.
type Condition struct {
	Key     string
	Created int64
}

// OpKind is what an Op does.
type OpKind uint8

// The kinds of operations.
const (
	Get OpKind = iota
	Put
	Delete
)

// Pick says which key a Get reads.
type Pick uint8

// The picks: the key itself, or one of those that begin with it.
const (
	ItAlone Pick = iota
	FirstCreated
	LastCreated
)

// Op is one operation of a transaction.
type Op struct {
	Kind   OpKind
	Key    string
	Pick   Pick
	Before int64 // of a Get that picks: only keys that were created before that revision, unless it is 0
	Value  string
	Lease  LeaseID
}

// KV is a key with what is known of it.
type KV struct {
	Key, Value        string
	Created, Modified int64 // the revisions
	Lease             LeaseID
}

// Answer is what a call came to. Which of the values there are follows from the call.
type Answer struct {
	Revision int64 // of all of etcd, after it
	Lease    LeaseID
	TTL      int64 // in seconds; 0 for a lease that is over
	Yes      bool  // the conditions held
	Results  []Result
}

// Result is what an operation came to: how many keys it has found or deleted, and of a Get the one that was found.
type Result struct {
	KV
	N int64
}

// Request is a call as it goes to a node.
func Request(c *Call) remote.Request {
	r := remote.Request{Path: c.Path(), Text: event.Preview([]byte(c.String())), Body: c}
	if c.Kind == Watch {
		r.Watch = event.DataWatch
	}
	return r
}

// Reply is an answer as it comes from a node.
func Reply(c *Call, a *Answer) remote.Reply {
	return remote.Reply{Text: event.Preview([]byte(a.text(c))), Body: a}
}

// Failure is an error as it comes from a node.
func Failure(e Error) remote.Reply {
	return remote.Reply{Text: event.Preview([]byte(e)), Failed: true, Body: e}
}

// Deleted is what a watcher of a key is told.
func Deleted(key string) remote.Push { return remote.Push{Path: key, Text: "DELETE"} }

// Path is the key that the call is about, "" for a lease.
func (c *Call) Path() string {
	switch {
	case c.Kind == Watch:
		return c.Key
	case len(c.Then) > 0:
		return c.Then[0].Key
	}
	return ""
}

// Ops is what the call does, depending on whether its conditions hold.
func (c *Call) Ops(yes bool) []Op {
	if yes {
		return c.Then
	}
	return c.Else
}

// String is the call as a person writes it for etcdctl, on one line.
func (c *Call) String() string {
	switch c.Kind {
	case Grant:
		return "lease grant " + strconv.FormatInt(c.TTL, 10)
	case KeepAlive:
		return "lease keep-alive " + c.Lease.String()
	case Revoke:
		return "lease revoke " + c.Lease.String()
	case Watch:
		return "watch " + c.Key + " --rev=" + strconv.FormatInt(c.From, 10)
	}
	b := make([]byte, 0, 128)
	if len(c.If) > 0 {
		b = append(b, "if "...)
	}
	for i, x := range c.If {
		if i > 0 {
			b = append(b, " and "...)
		}
		b = append(append(append(b, "create("...), x.Key...), ") = "...)
		b = strconv.AppendInt(b, x.Created, 10)
	}
	if len(c.If) > 0 {
		b = append(b, ": "...)
	}
	b = appendOps(b, c.Then)
	if len(c.Else) > 0 {
		b = appendOps(append(b, ", else: "...), c.Else)
	}
	return string(b)
}

func appendOps(b []byte, ops []Op) []byte {
	for i := range ops {
		if i > 0 {
			b = append(b, "; "...)
		}
		b = ops[i].append(b)
	}
	return b
}

func (o *Op) append(b []byte) []byte {
	b = append(append(b, [...]string{"get ", "put ", "del "}[o.Kind]...), o.Key...)
	if o.Kind == Put {
		b = append(append(b, ' '), o.Value...)
	}
	if o.Lease != 0 {
		b = append(append(b, " --lease="...), o.Lease.String()...)
	}
	switch o.Pick {
	case FirstCreated:
		b = append(b, " --prefix, first created"...)
	case LastCreated:
		b = append(b, " --prefix, last created"...)
	}
	if o.Before != 0 {
		b = strconv.AppendInt(append(b, " before "...), o.Before, 10)
	}
	return b
}

// text is the answer as a person reads it.
func (a *Answer) text(c *Call) string {
	switch {
	case c.Kind == Grant:
		return "lease " + a.Lease.String() + " granted with TTL(" + strconv.FormatInt(a.TTL, 10) + "s)"
	case c.Kind == KeepAlive && a.TTL == 0:
		return "lease " + c.Lease.String() + " expired or revoked"
	case c.Kind == KeepAlive:
		return "lease " + c.Lease.String() + " keepalived with TTL(" + strconv.FormatInt(a.TTL, 10) + ")"
	case c.Kind == Revoke:
		return "lease " + c.Lease.String() + " revoked"
	case c.Kind == Watch:
		return "watching"
	}
	b := make([]byte, 0, 64)
	switch {
	case len(c.If) > 0 && a.Yes:
		b = append(b, "SUCCESS"...)
	case len(c.If) > 0:
		b = append(b, "FAILURE"...)
	}
	ops := c.Ops(a.Yes)
	for i := range min(len(ops), len(a.Results)) {
		if len(b) > 0 {
			b = append(b, "; "...)
		}
		b = a.Results[i].append(b, ops[i].Kind)
	}
	return string(b)
}

func (r *Result) append(b []byte, kind OpKind) []byte {
	switch {
	case kind == Put:
		return append(b, "OK"...)
	case kind == Delete:
		return append(strconv.AppendInt(b, r.N, 10), " deleted"...)
	case r.N == 0:
		return append(b, "(none)"...)
	}
	b = append(append(b, r.Key...), " = "...)
	b = append(append(b, r.Value...), " (created "...)
	return append(strconv.AppendInt(b, r.Created, 10), ')')
}
