package etcd

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// LeaseID identifies a lease.
type LeaseID int64

// String returns the ID as etcd's own tools show it, in hexadecimal.
func (id LeaseID) String() string { return strconv.FormatInt(int64(id), 16) }

// Kind is the kind of a Call.
type Kind uint8

// The kinds of calls. A plain read, write or deletion is a transaction without conditions.
const (
	Txn Kind = iota
	Grant
	KeepAlive
	Revoke
	Watch
)

// Call is a request with its arguments. Its kind tells which it has.
type Call struct {
	Kind Kind

	// Of a Txn: Then is done if all the conditions hold, otherwise Else. Nobody sees a part of it done.
	If         []Condition
	Then, Else []Op

	Lease LeaseID
	TTL   int64 // of a Grant, in seconds

	// Of a Watch, which ends with the first deletion that it reports.
	Key  string
	From int64 // the first revision that counts
}

// Condition holds if a key was created at a revision, or, for 0, if it doesn't exist.
type Condition struct {
	Key     string
	Created int64
}

// OpKind is the kind of an Op.
type OpKind uint8

// The kinds of operations.
const (
	Get OpKind = iota
	Put
	Delete
)

// Pick tells which key a Get reads.
type Pick uint8

// The picks: the key itself, or one of the keys with that prefix.
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
	Before int64 // of a Get that picks: only keys created before that revision, 0 for all
	Value  string
	Lease  LeaseID
}

// KV is a key with its value, revisions and lease.
type KV struct {
	Key, Value        string
	Created, Modified int64 // the revisions
	Lease             LeaseID
}

// Answer is the result of a call. The call's kind tells which of the values it has.
type Answer struct {
	Revision int64 // of the whole store, after the call
	Lease    LeaseID
	TTL      int64 // in seconds; 0 for a lease that has ended
	Yes      bool  // whether the conditions held
	Results  []Result
}

// Result is the result of an operation: how many keys it found or deleted, and for a Get the key that it read.
type Result struct {
	KV
	N int64
}

// Request returns a call as a request to a node.
func Request(c *Call) remote.Request {
	r := remote.Request{Path: c.Path(), Text: event.Preview([]byte(c.String())), Body: c}
	if c.Kind == Watch {
		r.Watch = event.DataWatch
	}
	return r
}

// Reply returns an answer as a reply of a node.
func Reply(c *Call, a *Answer) remote.Reply {
	return remote.Reply{Text: event.Preview([]byte(a.text(c))), Body: a}
}

// Failure returns an error as a reply of a node.
func Failure(e Error) remote.Reply {
	return remote.Reply{Text: event.Preview([]byte(e)), Failed: true, Body: e}
}

// Deleted returns the notification that a key was deleted.
func Deleted(key string) remote.Push { return remote.Push{Path: key, Text: "DELETE"} }

// Path returns the key that the call is about, "" for a lease.
func (c *Call) Path() string {
	switch {
	case c.Kind == Watch:
		return c.Key
	case len(c.Then) > 0:
		return c.Then[0].Key
	}
	return ""
}

// Ops returns the operations of the call, depending on whether its conditions hold.
func (c *Call) Ops(yes bool) []Op {
	if yes {
		return c.Then
	}
	return c.Else
}

// String returns the call as one would type it for etcdctl, on one line.
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

// text returns the answer as the log shows it.
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
