// Package wire connects to a real Redis.
package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
)

// Address holds the address of a Redis and credentials. Nothing prints its password.
type Address struct {
	Host     string // host:port
	User     string // "" for the default user
	Password string
	DB       int
}

// Parse parses host:port, host, or redis://user:password@host:port/database. Its errors don't contain the password.
func Parse(s string) (Address, error) {
	const form = "name a Redis as host:port or redis://user:password@host:port/0"
	if !strings.Contains(s, "://") {
		s = "redis://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "redis" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return Address{}, errors.New(form)
	}
	a := Address{Host: u.Host, User: u.User.Username()}
	a.Password, _ = u.User.Password()
	if u.Port() == "" {
		a.Host = net.JoinHostPort(u.Hostname(), "6379")
	}
	if db := strings.Trim(u.Path, "/"); db != "" {
		if a.DB, err = strconv.Atoi(db); err != nil || a.DB < 0 {
			return Address{}, errors.New("the database must be a number from 0:  " + form)
		}
	}
	return a, nil
}

// Conn is a connection. It implements real.Wire.
type Conn struct {
	net.Conn
	in     *resp.Reader
	listen atomic.Bool // it has subscribed: messages arrive among replies
}

// greeting is how long the first replies of a node may take.
const greeting = 5 * time.Second

// Dial connects, authenticates, and checks that recipes can run on the node.
func (a Address) Dial(ctx context.Context, dial real.Dialer) (*Conn, error) {
	c, err := dial(ctx, "tcp", a.Host)
	if err != nil {
		return nil, fmt.Errorf("cannot reach Redis at %s (%w): start it, or name another", a.Host, unwrapped(err))
	}
	k := &Conn{Conn: c, in: resp.NewReader(c)}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if err := k.greet(a); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("the Redis at %s: %w", a.Host, err)
	}
	return k, nil
}

// unwrapped removes the address, which the message contains already.
func unwrapped(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

func (k *Conn) greet(a Address) error {
	if err := k.SetDeadline(time.Now().Add(greeting)); err != nil {
		return err
	}
	if a.Password != "" {
		auth := []string{"AUTH", a.Password}
		if a.User != "" {
			auth = []string{"AUTH", a.User, a.Password}
		}
		if v, err := k.ask(auth...); err != nil {
			return err
		} else if v.Kind == resp.Error {
			return real.Refused("it refuses the user or the password")
		}
	}
	v, err := k.ask("ROLE")
	switch {
	case err != nil:
		return err
	case strings.HasPrefix(v.Str, "NOAUTH"):
		return real.Refused("it wants a password: name it as redis://user:password@host:port")
	case strings.HasPrefix(v.Str, "ERR max number of clients"):
		return real.Refused("it takes no more clients: run fewer, or raise its maxclients")
	case v.Kind == resp.Error:
		return real.Refused(fmt.Sprintf("it refuses ROLE (%s): it is too old, or no Redis, or the user may not ask", v.Str))
	case len(v.List) > 0 && v.List[0].Str == "slave":
		return real.Refused("it is a replica, which takes no writes: name its primary")
	case len(v.List) == 0 || v.List[0].Str != "master":
		return real.Refused("it does not answer as a Redis does")
	}
	if a.DB != 0 {
		if v, err = k.ask("SELECT", strconv.Itoa(a.DB)); err != nil {
			return err
		} else if v.Kind == resp.Error {
			return real.Refused(fmt.Sprintf("there is no database %d: %s", a.DB, v.Str))
		}
	}
	return k.SetDeadline(time.Time{})
}

func (k *Conn) ask(args ...string) (resp.Value, error) {
	if _, err := k.Write(resp.AppendCommand(nil, args)); err != nil {
		return resp.Value{}, err
	}
	v, err := k.in.Value()
	var p resp.ProtocolError
	if errors.As(err, &p) {
		err = fmt.Errorf("it does not speak Redis's protocol (%w)", err)
	}
	return v, err
}

// Send implements real.Wire.
func (k *Conn) Send(r remote.Request) error {
	args, _ := r.Body.([]string)
	if len(args) > 0 && strings.EqualFold(args[0], "SUBSCRIBE") {
		k.listen.Store(true)
	}
	_, err := k.Write(resp.AppendCommand(nil, args))
	return err
}

// Receive implements real.Wire.
func (k *Conn) Receive() (*remote.Reply, *remote.Push, error) {
	v, err := k.in.Value()
	if err != nil {
		return nil, nil, err
	}
	if k.listen.Load() && len(v.List) == 3 && v.List[0].Str == "message" {
		p := redis.Message(v.List[1].Str, v.List[2].Str)
		return nil, &p, nil
	}
	r := redis.Reply(v)
	return &r, nil, nil
}

// Node returns the Redis as a node of a run.
func (a Address) Node() real.Node {
	return real.Node{
		At:   a.Host,
		Dial: func(ctx context.Context, dial real.Dialer) (real.Wire, error) { return a.Dial(ctx, dial) },
		Shadow: func(id event.Actor, emit func(event.Event) event.Seq) remote.Shadow {
			return redis.NewShadow(id, emit)
		},
		Begin: a.begin, Remove: a.remove,
	}
}
