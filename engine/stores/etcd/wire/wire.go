// Package wire connects to a real etcd, over its JSON gateway.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
)

// Address is the address of an etcd, with the user. It is never printed with the password.
type Address struct {
	Scheme   string // http or https
	Host     string // host:port
	User     string // "" for none
	Password string
}

// Parse parses host:port, host, or http://user:password@host:port, also with https. Its errors don't show the password.
func Parse(s string) (Address, error) {
	const form = "name an etcd as host:port or http://user:password@host:port"
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" ||
		u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return Address{}, errors.New(form)
	}
	a := Address{Scheme: u.Scheme, Host: u.Host, User: u.User.Username()}
	a.Password, _ = u.User.Password()
	if u.Port() == "" {
		a.Host = net.JoinHostPort(u.Hostname(), "2379")
	}
	return a, nil
}

// Conn is a connection. It implements real.Wire. A watch has its own stream, and there is at most one.
type Conn struct {
	addr   Address
	client *http.Client
	token  string
	ctx    context.Context // ends when the connection closes
	cancel context.CancelFunc
	out    chan said
	all    sync.WaitGroup // the readers of watches

	mu      sync.Mutex
	unwatch context.CancelFunc // ends the current watch
}

// said is a message, or the error that ended the connection.
type said struct {
	reply *remote.Reply
	push  *remote.Push
	err   error
}

// greeting is the limit for a node's first replies.
const greeting = 5 * time.Second

// Dial checks that there is an etcd that can run recipes, and authenticates.
func (a Address) Dial(ctx context.Context, dial real.Dialer) (*Conn, error) {
	k := &Conn{addr: a, out: make(chan said, 16), unwatch: func() {}}
	k.client = &http.Client{Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 1}}
	k.ctx, k.cancel = context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, k.cancel)
	defer stop()
	timer := time.AfterFunc(greeting, k.cancel)
	err := k.greet()
	if !timer.Stop() && err == nil {
		err = context.DeadlineExceeded
	}
	if err != nil {
		_ = k.Close()
		return nil, err
	}
	return k, nil
}

func (k *Conn) greet() error {
	if err := k.version(); err != nil {
		return err
	}
	if k.addr.User == "" {
		return nil
	}
	var m answerMessage
	err := k.post("/v3/auth/authenticate", map[string]string{"name": k.addr.User, "password": k.addr.Password}, &m)
	var refused etcd.Error
	switch {
	case errors.As(err, &refused) && strings.Contains(string(refused), "not enabled"):
		return nil // authentication is off
	case errors.As(err, &refused):
		return real.Refused(fmt.Sprintf("the etcd at %s refuses the user or the password", k.addr.Host))
	}
	k.token = m.Token
	return err
}

// oldest is the oldest version whose gateway has the paths of today.
var oldest = [...]int{3, 4}

func (k *Conn) version() error {
	r, err := http.NewRequestWithContext(k.ctx, http.MethodGet, k.addr.Scheme+"://"+k.addr.Host+"/version", nil)
	if err != nil {
		return err
	}
	resp, err := k.client.Do(r)
	if err != nil {
		return fmt.Errorf("cannot reach etcd at %s (%w): start it, or name another", k.addr.Host, unwrapped(err))
	}
	defer func() { _ = resp.Body.Close() }()
	var m struct {
		Server string `json:"etcdserver"`
	}
	const longest = 64 << 10
	if err := json.NewDecoder(io.LimitReader(resp.Body, longest)).Decode(&m); err != nil || m.Server == "" {
		return real.Refused(fmt.Sprintf("what is at %s does not answer as an etcd does", k.addr.Host))
	}
	parts := strings.Split(m.Server, ".")
	for i, least := range oldest {
		n := 0
		if i < len(parts) {
			n, _ = strconv.Atoi(parts[i])
		}
		if n != least {
			if n < least {
				return real.Refused(fmt.Sprintf("the etcd at %s is version %s, which is too old: recipes need 3.4", k.addr.Host,
					m.Server))
			}
			break
		}
	}
	return nil
}

// unwrapped removes the address from an error, as the message names it.
func unwrapped(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// The gRPC codes with which etcd says that it couldn't do something now, so that the outcome is unknown.
const (
	canceled    = 1
	unknown     = 2
	deadline    = 4
	unavailable = 14
)

// open sends a message and returns the response. An error that etcd replied with is an etcd.Error.
func (k *Conn) open(ctx context.Context, path string, body any) (*json.Decoder, io.Closer, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, k.addr.Scheme+"://"+k.addr.Host+path, bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	if k.token != "" {
		r.Header.Set("Authorization", k.token)
	}
	r.GetBody = nil // no request is sent twice
	resp, err := k.client.Do(r)
	if err != nil {
		return nil, nil, unwrapped(err)
	}
	return json.NewDecoder(resp.Body), resp.Body, nil
}

// next reads the next message.
func next(in *json.Decoder, m *answerMessage) error {
	var raw json.RawMessage
	if err := in.Decode(&raw); err != nil {
		return err
	}
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		return err
	}
	if e.Error != nil {
		text, code := e.failure()
		if code == unavailable || code == deadline || code == canceled || code == unknown {
			return errors.New(text)
		}
		return etcd.Error(text)
	}
	if e.Result != nil {
		raw = e.Result
	}
	return json.Unmarshal(raw, m)
}

func (k *Conn) post(path string, body any, m *answerMessage) error {
	in, c, err := k.open(k.ctx, path, body)
	if err != nil {
		return err
	}
	defer func() {
		_, _ = io.Copy(io.Discard, in.Buffered())
		_ = c.Close()
	}()
	if err := next(in, m); err != nil {
		return err
	}
	var more json.RawMessage
	_ = in.Decode(&more) // read up to the end, so that the connection can be reused
	return nil
}

// Send implements real.Wire. It returns when etcd has replied.
func (k *Conn) Send(r remote.Request) error {
	c, _ := r.Body.(*etcd.Call)
	if c == nil {
		return errors.New("no call")
	}
	var m answerMessage
	var err error
	path, body := message(c)
	if c.Kind == etcd.Watch {
		err = k.watch(c.Key, path, body, &m)
	} else {
		err = k.post(path, body, &m)
	}
	var refused etcd.Error
	switch {
	case errors.As(err, &refused):
		return k.say(said{reply: ptr(etcd.Failure(refused))})
	case err != nil:
		return err
	}
	if c.Kind == etcd.Watch {
		return nil
	}
	return k.say(said{reply: ptr(etcd.Reply(c, m.answer(c)))})
}

func ptr[T any](v T) *T { return &v }

func (k *Conn) say(s said) error {
	select {
	case k.out <- s:
		return nil
	case <-k.ctx.Done():
		return net.ErrClosed
	}
}

// watch begins a watch and ends the one before. Its reply comes before its notification.
func (k *Conn) watch(key, path string, body any, m *answerMessage) error {
	ctx, cancel := context.WithCancel(k.ctx)
	k.mu.Lock()
	k.unwatch()
	k.unwatch = cancel
	k.mu.Unlock()
	in, c, err := k.open(ctx, path, body)
	if err != nil {
		cancel()
		return err
	}
	if err = next(in, m); err == nil {
		err = k.say(said{reply: ptr(etcd.Reply(&etcd.Call{Kind: etcd.Watch}, m.answer(&etcd.Call{Kind: etcd.Watch})))})
	}
	if err != nil {
		cancel()
		_ = c.Close()
		return err
	}
	k.all.Add(1)
	go func() {
		defer k.all.Done()
		defer func() { _ = c.Close() }()
		defer cancel()
		err := tell(in)
		switch {
		case err == nil:
			_ = k.say(said{push: ptr(etcd.Deleted(key))})
		case ctx.Err() == nil:
			_ = k.say(said{err: err})
		}
	}()
	return nil
}

// tell waits for a deletion.
func tell(in *json.Decoder) error {
	for {
		var m answerMessage
		if err := next(in, &m); err != nil {
			return err
		}
		if m.Canceled {
			return fmt.Errorf("etcd has ended the watch: %s", m.Reason)
		}
		for _, e := range m.Events {
			if e.Type == "DELETE" {
				return nil
			}
		}
	}
}

// Receive implements real.Wire.
func (k *Conn) Receive() (*remote.Reply, *remote.Push, error) {
	select {
	case s := <-k.out:
		return s.reply, s.push, s.err
	case <-k.ctx.Done():
		k.all.Wait()
		return nil, nil, net.ErrClosed
	}
}

// Close implements real.Wire.
func (k *Conn) Close() error {
	k.cancel()
	k.client.CloseIdleConnections()
	return nil
}
