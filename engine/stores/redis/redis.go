// Package redis is all that a recipe may use of Redis: a typed client of one connection, and the scripts that it may
// run.
//
// It opens no connection: engine/host/sim and a host on a real Redis do. The commands are those of Redis 7.
package redis

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Error is an error that Redis has replied with. Its first word is the error code.
type Error string

// Error returns the whole text.
func (e Error) Error() string { return string(e) }

// Client is one connection to a Redis. Every call waits for its reply. An error other than Error is program.ErrLost, if
// the command may or may not have been executed, or program.ErrStopped.
type Client struct{ conn remote.Conn }

// New returns a client on a connection.
func New(conn remote.Conn) *Client { return &Client{conn: conn} }

// Close closes the connection, and with it its subscriptions. Keys stay.
func (c *Client) Close() { c.conn.Close() }

// Opened returns how often the connection has been opened.
func (c *Client) Opened() int { return c.conn.Opened() }

// Do sends a command and returns its reply.
func (c *Client) Do(args ...string) (resp.Value, error) {
	r, err := c.conn.Do(Request(args))
	if err != nil {
		return resp.Value{}, err
	}
	v, _ := r.Body.(resp.Value)
	if v.Kind == resp.Error {
		return v, Error(v.Str)
	}
	return v, nil
}

// Request converts a command to a request.
func Request(args []string) remote.Request { return RequestTo(args, nil) }

// RequestTo is Request to a node that knows scripts by their SHA-1.
func RequestTo(args []string, script func(sum string) string) remote.Request {
	var room [event.MaxText]byte
	r := remote.Request{Path: pathOf(args), Text: event.Preview(show(room[:0], args, beyond, script)), Body: args,
		Blocks: len(args) > 0 && strings.EqualFold(args[0], "BLPOP")}
	if len(args) > 0 && strings.EqualFold(args[0], "SUBSCRIBE") {
		r.Watch = event.PersistentWatch
	}
	return r
}

// Reply converts a reply of a node.
func Reply(v resp.Value) remote.Reply {
	var room [event.MaxText]byte
	return remote.Reply{Text: event.Preview(v.ShowUpTo(room[:0], beyond)), Failed: v.Kind == resp.Error, Body: v}
}

// Message converts a message to a subscriber.
func Message(channel, message string) remote.Push {
	return remote.Push{Path: channel, Text: event.Preview([]byte(message)),
		Body: resp.List(resp.String("message"), resp.String(channel), resp.String(message))}
}

// Text writes a command as a person types it, with scripts' names and without passwords.
func Text(args []string) string { return string(show(nil, args, math.MaxInt, nil)) }

// beyond is the length of a text after which the log keeps only its start.
const beyond = event.MaxText + 1

// evals reports whether a command runs a script, and whether it names it by its SHA-1.
func evals(args []string) (script, bySum bool) {
	if len(args) == 0 || len(args[0]) < len("EVAL") || !strings.EqualFold(args[0][:len("EVAL")], "EVAL") {
		return false, false
	}
	switch strings.ToUpper(args[0]) {
	case "EVAL", "EVAL_RO":
		return true, false
	case "EVALSHA", "EVALSHA_RO":
		return true, true
	}
	return false, false
}

// Evals reports whether a command runs a script.
func Evals(args []string) bool {
	script, _ := evals(args)
	return script
}

// show writes a command, and stops soon after b exceeds most bytes.
func show(b []byte, args []string, most int, text func(sum string) string) []byte {
	secret := len(args) // index of the first hidden word
	script, bySum := evals(args)
	switch {
	case len(args) == 0:
	case strings.EqualFold(args[0], "AUTH"):
		secret = 1
	case strings.EqualFold(args[0], "HELLO"):
		secret = 3
	}
	for i, a := range args {
		if len(b) > most {
			break
		}
		if i > 0 {
			b = append(b, ' ')
		}
		switch {
		case i == 0:
			a = strings.ToUpper(a[:min(len(a), most)]) // case doesn't matter
		case script && i == 1 && !bySum:
			a = nameOf(a)
		case script && i == 1 && text != nil:
			if lua := text(a); lua != "" {
				a = nameOf(lua)
			}
		case i >= secret:
			a = "***"
		}
		b = resp.ShowWord(b, a[:min(len(a), most)])
	}
	return b
}

// pathOf returns a command's key or channel.
func pathOf(args []string) string {
	switch {
	case len(args) < 2:
		return ""
	case Evals(args):
		if len(args) > 3 && args[2] != "0" {
			return args[3]
		}
		return ""
	}
	for _, without := range keyless {
		if strings.EqualFold(args[0], without) {
			return ""
		}
	}
	return args[1]
}

// keyless lists the commands whose first argument is no key.
var keyless = [...]string{"WAIT", "PING", "ECHO", "AUTH", "HELLO", "SELECT", "FLUSHALL", "SCRIPT", "SCAN", "KEYS",
	"CLIENT", "COMMAND", "CONFIG", "INFO"}

func (c *Client) integer(args ...string) (int64, error) {
	v, err := c.Do(args...)
	return v.Int, err
}

// Ping sends a PING.
func (c *Client) Ping() error {
	_, err := c.Do("PING")
	return err
}

// Get reads a key; there is false if it doesn't exist.
func (c *Client) Get(key string) (value string, there bool, err error) {
	v, err := c.Do("GET", key)
	return v.Str, v.Kind == resp.Bulk, err
}

// Set sets a key without expiry.
func (c *Client) Set(key, value string) error {
	_, err := c.Do("SET", key, value)
	return err
}

// SetNX sets a key that doesn't exist. It never expires.
func (c *Client) SetNX(key, value string) (bool, error) {
	n, err := c.integer("SETNX", key, value)
	return n == 1, err
}

// SetNXPX sets a key that doesn't exist, and lets it expire after a time.
func (c *Client) SetNXPX(key, value string, ends time.Duration) (bool, error) {
	v, err := c.Do("SET", key, value, "NX", "PX", millis(ends))
	return v.Kind == resp.Status, err
}

// SetNXPXGet is SetNXPX, and returns the old value: "" if it has set the key.
func (c *Client) SetNXPXGet(key, value string, ends time.Duration) (was string, err error) {
	v, err := c.Do("SET", key, value, "NX", "PX", millis(ends), "GET")
	return v.Str, err
}

// Del deletes a key of any client, and reports whether it existed.
func (c *Client) Del(key string) (bool, error) {
	n, err := c.integer("DEL", key)
	return n == 1, err
}

// Expire lets a key expire after whole seconds. It reports whether the key existed.
func (c *Client) Expire(key string, ends time.Duration) (bool, error) {
	n, err := c.integer("EXPIRE", key, strconv.FormatInt(int64((ends+time.Second-1)/time.Second), 10))
	return n == 1, err
}

// Subscribe subscribes to a channel. After that the connection can do nothing else: see Next.
func (c *Client) Subscribe(channel string) error {
	_, err := c.Do("SUBSCRIBE", channel)
	return err
}

// Next waits for the next message, for at most timeout, unless that is 0: then it returns program.ErrTimeout.
func (c *Client) Next(timeout time.Duration) (message string, err error) {
	p, err := c.conn.Next(timeout)
	if v, _ := p.Body.(resp.Value); len(v.List) == 3 {
		message = v.List[2].Str
	}
	return message, err
}

// BLPop removes the head of a list, and waits for one for at most timeout, unless that is 0. It reports false if there
// was none.
func (c *Client) BLPop(key string, timeout time.Duration) (value string, got bool, err error) {
	v, err := c.Do("BLPOP", key, strconv.FormatFloat(timeout.Seconds(), 'f', -1, 64))
	if err != nil || len(v.List) != 2 {
		return "", false, err
	}
	return v.List[1].Str, true, nil
}

func (c *Client) eval(s *Script, args ...string) (int64, error) {
	return c.integer(append([]string{"EVAL", s.Lua, strconv.Itoa(s.Keys)}, args...)...)
}

// CompareAndDelete atomically deletes a key if its value is the token. It reports whether it did.
func (c *Client) CompareAndDelete(key, token string) (bool, error) {
	n, err := c.eval(&compareAndDelete, key, token)
	return n == 1, err
}

// CompareAndExpire lets a key expire after a time if its value is the token. It reports whether it did.
func (c *Client) CompareAndExpire(key, token string, ends time.Duration) (bool, error) {
	n, err := c.eval(&compareAndExpire, key, token, millis(ends))
	return n == 1, err
}

// ReleaseAndPublish is CompareAndDelete that also publishes the release to a channel.
func (c *Client) ReleaseAndPublish(key, token, channel string) (bool, error) {
	n, err := c.eval(&releaseAndPublish, key, token, channel)
	return n == 1, err
}

// ReleaseAndSignal is CompareAndDelete that also puts one element into a list, for a time, for the longest waiting
// client.
func (c *Client) ReleaseAndSignal(key, list, token string, lasts time.Duration) (bool, error) {
	n, err := c.eval(&releaseAndSignal, key, list, token, millis(lasts))
	return n == 1, err
}

// AcquireWithFence is SetNXPX that also increments a counter. The count is 0 if the key existed.
func (c *Client) AcquireWithFence(key, counter, token string, ends time.Duration) (fence int64, err error) {
	return c.eval(&acquireWithFence, key, counter, token, millis(ends))
}

// millis writes a time in whole milliseconds, at least one.
func millis(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }
