package model

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// command is a command that the node knows.
type command struct {
	arity int  // number of words, including its name; negative for a minimum
	write bool // it changes something, so a replica refuses it
	grows bool // it may use more memory
	do    func(s *Server, k *session, args []string) resp.Value
}

// none is the result of a command without a reply, or without one yet.
var none = resp.Value{Kind: 255}

// Texts of errors.
const (
	wrongType   = "WRONGTYPE Operation against a key holding the wrong kind of value"
	syntaxError = "ERR syntax error"
	notInteger  = "ERR value is not an integer or out of range"
	readOnly    = "READONLY You can't write against a read only replica."
	outOfMemory = "OOM command not allowed when used memory > 'maxmemory'."
	noScript    = "ERR this node knows only the scripts of the lock recipes"
	notLoaded   = "NOSCRIPT No matching script. Please use EVAL."
	oneChannel  = "ERR this node takes one channel at a time"
)

var commands map[string]command

// init fills the table, since a script in it calls commands.
func init() {
	commands = map[string]command{
		"PING":   {-1, false, false, ping},
		"ECHO":   {2, false, false, func(_ *Server, _ *session, a []string) resp.Value { return resp.String(a[1]) }},
		"TIME":   {1, false, false, clock},
		"GET":    {2, false, false, get},
		"SET":    {-3, true, true, set},
		"SETNX":  {3, true, true, setNX},
		"DEL":    {-2, true, false, del},
		"EXISTS": {-2, false, false, exists},
		"TYPE":   {2, false, false, typeOf},
		"DBSIZE": {1, false, false, func(s *Server, _ *session,
			_ []string) resp.Value {
			return resp.Int(int64(len(s.keys.items)))
		}},
		"FLUSHALL":    {-1, true, false, flushAll},
		"EXPIRE":      {-3, true, false, expireIn("expire", time.Second)},
		"PEXPIRE":     {-3, true, false, expireIn("pexpire", time.Millisecond)},
		"PEXPIREAT":   {-3, true, false, expireAt},
		"PERSIST":     {2, true, false, persist},
		"TTL":         {2, false, false, ttl(time.Second)},
		"PTTL":        {2, false, false, ttl(time.Millisecond)},
		"INCR":        {2, true, true, incr},
		"LPUSH":       {-3, true, true, push(true)},
		"RPUSH":       {-3, true, true, push(false)},
		"LPOP":        {2, true, false, lPop},
		"STRLEN":      {2, false, false, strLen},
		"GETRANGE":    {4, false, false, getRange},
		"HSET":        {-4, true, true, hSet},
		"HSETNX":      {4, true, true, hSetNX},
		"HGET":        {3, false, false, hGet},
		"HMGET":       {-3, false, false, hMGet},
		"HGETALL":     {2, false, false, hList(true, true)},
		"HKEYS":       {2, false, false, hList(true, false)},
		"HVALS":       {2, false, false, hList(false, true)},
		"HDEL":        {-3, true, false, hDel},
		"HEXISTS":     {3, false, false, hExists},
		"HLEN":        {2, false, false, hLen},
		"HINCRBY":     {4, true, true, hIncrBy},
		"LLEN":        {2, false, false, lLen},
		"LRANGE":      {4, false, false, lRange},
		"BLPOP":       {-3, true, false, blPop},
		"PUBLISH":     {3, false, false, publish},
		"SUBSCRIBE":   {-2, false, false, subscribe},
		"UNSUBSCRIBE": {-1, false, false, unsubscribe},
		"EVAL":        {-3, false, false, evalWith(scriptOfLua, false)},
		"EVALSHA":     {-3, false, false, evalWith(scriptOfSHA1, false)},
		"EVAL_RO":     {-3, false, false, evalWith(scriptOfLua, true)},
		"EVALSHA_RO":  {-3, false, false, evalWith(scriptOfSHA1, true)},
		"SCRIPT":      {-2, false, false, script},
		"SCAN":        {-2, false, false, scan},
		"KEYS":        {2, false, false, keysLike},
		"UNLINK":      {-2, true, false, del},
		"FLUSHDB":     {-1, true, false, flushAll},
		"WAIT":        {3, false, false, waitFor},
		"HELLO":       {-1, false, false, hello},
		"AUTH":        {-2, false, false, auth},
		"SELECT":      {2, false, false, selectDB},
		"ROLE":        {1, false, false, role},
		"RESET":       {1, false, false, reset},
	}
}

// command executes a command: of a connection or, if that is nil, of a script or a primary.
func (s *Server) command(k *session, args []string) resp.Value {
	if len(args) == 0 {
		return resp.Err("ERR empty command")
	}
	c, known := named(args[0])
	switch {
	case !known:
		return resp.Err(unknown(args))
	case c.arity >= 0 && len(args) != c.arity || len(args) < -c.arity:
		return resp.Err("ERR wrong number of arguments for '" + strings.ToLower(args[0]) + "' command")
	case c.grows && (s.keys.bytes > s.cfg.Bytes || len(s.keys.items) >= MaxKeys) && !s.replication.replaying:
		return resp.Err(outOfMemory)
	case c.write && s.replication.replica && !s.replication.replaying:
		return resp.Err(readOnly)
	case k != nil && len(k.channels) > 0 && !whileSubscribed(args[0]):
		return resp.Err("ERR Can't execute '" + strings.ToLower(args[0]) + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / " +
			"PING / QUIT / RESET are allowed in this context")
	}
	return c.do(s, k, args)
}

func named(name string) (command, bool) {
	c, known := commands[name]
	if !known {
		c, known = commands[upper(name)]
	}
	return c, known
}

// upper converts ASCII letters to capitals.
func upper(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

// notFromScripts reports whether scripts may not call a command: it waits, subscribes, or authenticates.
func notFromScripts(name string) bool {
	switch upper(name) {
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "SCRIPT", "BLPOP", "WAIT", "SUBSCRIBE", "UNSUBSCRIBE", "AUTH",
		"HELLO", "RESET":
		return true
	}
	return false
}

func whileSubscribed(name string) bool {
	switch upper(name) {
	case "SUBSCRIBE", "UNSUBSCRIBE", "PING", "RESET", "QUIT":
		return true
	}
	return false
}

// unknown returns the error for an unknown command, with the start of its arguments.
func unknown(args []string) string {
	const most = 128
	var with strings.Builder
	for _, a := range args[1:] {
		if with.Len() >= most {
			break
		}
		with.WriteString("'" + clipped(a, most-with.Len()) + "' ")
	}
	text := "ERR unknown command '" + clipped(args[0], most) + "', with args beginning with: " + with.String()
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
}

// clipped returns the start of a string, up to a zero byte.
func clipped(s string, most int) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s[:min(len(s), most)]
}

func ping(_ *Server, k *session, args []string) resp.Value {
	switch {
	case len(args) > 2:
		return resp.Err("ERR wrong number of arguments for 'ping' command")
	case k != nil && len(k.channels) > 0:
		text := ""
		if len(args) == 2 {
			text = args[1]
		}
		return resp.List(resp.String("pong"), resp.String(text))
	case len(args) == 2:
		return resp.String(args[1])
	}
	return status("PONG")
}

func clock(s *Server, _ *session, _ []string) resp.Value {
	us := s.moment.now.Microseconds()
	return resp.List(resp.String(strconv.FormatInt(us/1e6, 10)), resp.String(strconv.FormatInt(us%1e6, 10)))
}

func get(s *Server, _ *session, args []string) resp.Value {
	i := s.find(args[1])
	switch {
	case i == nil:
		return resp.Value{}
	case !i.isString():
		return resp.Err(wrongType)
	}
	return resp.String(i.str)
}

// setOptions holds the words after a SET's value.
type setOptions struct {
	nx, xx, get, keep bool
	ends              int64 // in ms, 0 for never
	timed             bool
}

// parseSet parses them at a time in ms by the node's clock. The error is "" if they are valid.
func parseSet(args []string, now int64) (o setOptions, err string) {
	number, unit := "", ""
	for n := 3; n < len(args); n++ {
		switch word := upper(args[n]); word {
		case "NX":
			o.nx = true
		case "XX":
			o.xx = true
		case "GET":
			o.get = true
		case "KEEPTTL":
			o.keep = true
		case "EX", "PX", "EXAT", "PXAT":
			if n++; o.timed && unit != word || n == len(args) { // the same unit may be repeated
				return o, syntaxError
			}
			o.timed, number, unit = true, args[n], word
		default:
			return o, syntaxError
		}
	}
	if o.nx && o.xx || o.timed && o.keep {
		return o, syntaxError
	}
	if o.timed {
		o.ends, err = expiry(number, unit, now)
	}
	return o, err
}

// expiry returns when a key expires, in ms by the node's clock.
func expiry(number, unit string, now int64) (int64, string) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, notInteger
	}
	const invalid = "ERR invalid expire time in 'set' command"
	if n <= 0 {
		return 0, invalid
	}
	if unit[0] == 'E' {
		if n > math.MaxInt64/1000 {
			return 0, invalid
		}
		n *= 1000
	}
	if len(unit) == 2 {
		if n > math.MaxInt64-max(now, 1) {
			return 0, invalid
		}
		n += now
	}
	return min(n, farthest), ""
}

// farthest is the latest expiry of a key, in ms: what a log can still write in ns.
const farthest = math.MaxInt64 / int64(time.Millisecond)

func set(s *Server, _ *session, args []string) resp.Value {
	o, bad := parseSet(args, s.moment.millis())
	if bad != "" {
		return resp.Err(bad)
	}
	key := args[1]
	old := s.find(key)
	was := resp.Value{}
	if o.get && old != nil {
		if !old.isString() {
			return resp.Err(wrongType)
		}
		was = resp.String(old.str)
	}
	if o.nx && old != nil || o.xx && old == nil {
		return was
	}
	ends := o.ends
	if o.keep && old != nil {
		ends = old.ends
	}
	s.assign(key, args[2], ends)
	if o.get {
		return was
	}
	return resp.OK()
}

// assign sets a key to a string, and replicates that.
func (s *Server) assign(key, value string, ends int64) {
	i := &item{str: value, ends: ends, owner: s.moment.by}
	s.put(key, i)
	s.emitValue(key, i)
	if ends == 0 || s.replication.send == nil {
		s.replication.propagate(key, "SET", key, value)
		return
	}
	s.replication.propagate(key, "SET", key, value, "PXAT", strconv.FormatInt(ends, 10))
}

func setNX(s *Server, _ *session, args []string) resp.Value {
	if s.find(args[1]) != nil {
		return resp.Int(0)
	}
	s.assign(args[1], args[2], 0)
	return resp.Int(1)
}

func del(s *Server, _ *session, args []string) resp.Value {
	n := int64(0)
	for _, key := range args[1:] {
		if i := s.find(key); i != nil {
			s.remove(key, i)
			n++
		}
	}
	return resp.Int(n)
}

func exists(s *Server, _ *session, args []string) resp.Value {
	n := int64(0)
	for _, key := range args[1:] {
		if s.find(key) != nil {
			n++
		}
	}
	return resp.Int(n)
}

func typeOf(s *Server, _ *session, args []string) resp.Value {
	word := "none"
	if i := s.find(args[1]); i != nil {
		word = i.kind()
	}
	return status(word)
}

func flushAll(s *Server, _ *session, args []string) resp.Value {
	if len(args) > 2 || len(args) == 2 && !strings.EqualFold(args[1], "SYNC") && !strings.EqualFold(args[1], "ASYNC") {
		return resp.Err(syntaxError)
	}
	for _, key := range s.keys.sorted() {
		s.keys.drop(key, s.keys.items[key])
		s.emit(event.Event{Kind: event.EntryGone, Peer: s.moment.by, Path: key, Reason: event.ByOp})
	}
	s.replication.propagate("", "FLUSHALL")
	return resp.OK()
}

func incr(s *Server, _ *session, args []string) resp.Value {
	key := args[1]
	i := s.find(key)
	n := int64(0)
	if i != nil {
		if !i.isString() {
			return resp.Err(wrongType)
		}
		var err error
		if n, err = strconv.ParseInt(i.str, 10, 64); err != nil || strconv.FormatInt(n, 10) != i.str {
			return resp.Err(notInteger)
		}
		if n == math.MaxInt64 {
			return resp.Err("ERR increment or decrement would overflow")
		}
	}
	next := &item{str: strconv.FormatInt(n+1, 10), owner: s.moment.by}
	if i != nil {
		next.ends = i.ends
	}
	s.put(key, next)
	s.emitValue(key, next)
	s.replication.propagate(key, "INCR", key)
	return resp.Int(n + 1)
}
