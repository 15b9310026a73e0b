package wire

import (
	"encoding/json"

	"github.com/zkviz/zkviz/engine/stores/etcd"
)

// What follows are the messages of etcd's JSON gateway, as far as calls need them. It sends 64-bit numbers as strings,
// keys and values in base64, and omits what is 0 or empty.

type keyMessage struct {
	Key         []byte `json:"key"`
	RangeEnd    []byte `json:"range_end,omitempty"`
	Value       []byte `json:"value,omitempty"`
	Lease       int64  `json:"lease,string,omitempty"`
	Limit       int64  `json:"limit,string,omitempty"`
	SortTarget  string `json:"sort_target,omitempty"`
	SortOrder   string `json:"sort_order,omitempty"`
	MaxCreated  int64  `json:"max_create_revision,string,omitempty"`
	KeysOnly    bool   `json:"keys_only,omitempty"`
	StartRev    int64  `json:"start_revision,string,omitempty"`
	Filters     []any  `json:"filters,omitempty"`
	Target      string `json:"target,omitempty"`
	Result      string `json:"result,omitempty"`
	CreateRevIs *int64 `json:"create_revision,string,omitempty"`
}

type opMessage struct {
	Range  *keyMessage `json:"request_range,omitempty"`
	Put    *keyMessage `json:"request_put,omitempty"`
	Delete *keyMessage `json:"request_delete_range,omitempty"`
}

type txnMessage struct {
	Compare []*keyMessage `json:"compare,omitempty"`
	Success []opMessage   `json:"success,omitempty"`
	Failure []opMessage   `json:"failure,omitempty"`
}

type leaseMessage struct {
	ID  int64 `json:"ID,string,omitempty"`
	TTL int64 `json:"TTL,string,omitempty"`
}

// message returns the path and the body of the request to the gateway for a call.
func message(c *etcd.Call) (path string, body any) {
	switch c.Kind {
	case etcd.Grant:
		return "/v3/lease/grant", leaseMessage{TTL: c.TTL}
	case etcd.KeepAlive:
		return "/v3/lease/keepalive", leaseMessage{ID: int64(c.Lease)}
	case etcd.Revoke:
		return "/v3/lease/revoke", leaseMessage{ID: int64(c.Lease)}
	case etcd.Watch:
		return "/v3/watch", map[string]any{
			"create_request": keyMessage{Key: []byte(c.Key), StartRev: c.From, Filters: []any{"NOPUT"}}}
	}
	if len(c.If) == 0 && len(c.Then) == 1 {
		m := opMessageOf(&c.Then[0])
		switch {
		case m.Put != nil:
			return "/v3/kv/put", m.Put
		case m.Delete != nil:
			return "/v3/kv/deleterange", m.Delete
		}
		return "/v3/kv/range", m.Range
	}
	var m txnMessage
	for i := range c.If {
		m.Compare = append(m.Compare, &keyMessage{Key: []byte(c.If[i].Key), Target: "CREATE", Result: "EQUAL",
			CreateRevIs: &c.If[i].Created})
	}
	for i := range c.Then {
		m.Success = append(m.Success, opMessageOf(&c.Then[i]))
	}
	for i := range c.Else {
		m.Failure = append(m.Failure, opMessageOf(&c.Else[i]))
	}
	return "/v3/kv/txn", m
}

func opMessageOf(o *etcd.Op) opMessage {
	m := &keyMessage{Key: []byte(o.Key)}
	switch o.Kind {
	case etcd.Put:
		m.Value, m.Lease = []byte(o.Value), int64(o.Lease)
		return opMessage{Put: m}
	case etcd.Delete:
		return opMessage{Delete: m}
	}
	if o.Pick != etcd.ItAlone {
		m.RangeEnd, m.Limit, m.SortTarget = []byte(etcd.End(o.Key)), 1, "CREATE"
		m.SortOrder = map[etcd.Pick]string{etcd.FirstCreated: "ASCEND", etcd.LastCreated: "DESCEND"}[o.Pick]
		if o.Before > 0 {
			m.MaxCreated = o.Before - 1
		}
	}
	return opMessage{Range: m}
}

type answerMessage struct {
	Header struct {
		Revision int64 `json:"revision,string"`
	} `json:"header"`
	Succeeded bool `json:"succeeded"`
	Responses []struct {
		Range  *foundMessage `json:"response_range"`
		Delete *foundMessage `json:"response_delete_range"`
	} `json:"responses"`
	foundMessage
	leaseMessage

	// Of a watch.
	Created  bool   `json:"created"`
	Canceled bool   `json:"canceled"`
	Reason   string `json:"cancel_reason"`
	Events   []struct {
		Type string `json:"type"`
	} `json:"events"`

	Token string `json:"token"` // returned by authentication
}

type foundMessage struct {
	KVs     []kvMessage `json:"kvs"`
	Deleted int64       `json:"deleted,string"`
	More    bool        `json:"more"`
}

type kvMessage struct {
	Key      []byte `json:"key"`
	Value    []byte `json:"value"`
	Created  int64  `json:"create_revision,string"`
	Modified int64  `json:"mod_revision,string"`
	Lease    int64  `json:"lease,string"`
}

// envelope wraps the messages of a stream, and errors. An error is a text, or a message with one.
type envelope struct {
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Code   int             `json:"code"`
}

// failure returns the text of an error, and its gRPC code.
func (e *envelope) failure() (text string, code int) {
	if json.Unmarshal(e.Error, &text) == nil {
		return text, e.Code
	}
	var m struct {
		Message string `json:"message"`
		Code    int    `json:"grpc_code"`
	}
	_ = json.Unmarshal(e.Error, &m)
	return m.Message, m.Code
}

// answer returns etcd's answer to a call.
func (m *answerMessage) answer(c *etcd.Call) *etcd.Answer {
	a := &etcd.Answer{Revision: m.Header.Revision, Lease: etcd.LeaseID(m.ID), TTL: m.TTL, Yes: m.Succeeded}
	if c.Kind != etcd.Txn {
		return a
	}
	if len(c.If) == 0 {
		a.Yes = true
	}
	if len(c.If) == 0 && len(c.Then) == 1 {
		a.Results = []etcd.Result{m.foundMessage.result()}
		return a
	}
	for _, r := range m.Responses {
		switch {
		case r.Range != nil:
			a.Results = append(a.Results, r.Range.result())
		case r.Delete != nil:
			a.Results = append(a.Results, r.Delete.result())
		default:
			a.Results = append(a.Results, etcd.Result{})
		}
	}
	return a
}

func (m *foundMessage) result() (r etcd.Result) {
	r.N = m.Deleted
	if len(m.KVs) > 0 {
		kv := m.KVs[0]
		r.N, r.KV = 1, etcd.KV{Key: string(kv.Key), Value: string(kv.Value), Created: kv.Created, Modified: kv.Modified,
			Lease: etcd.LeaseID(kv.Lease)}
	}
	return r
}
