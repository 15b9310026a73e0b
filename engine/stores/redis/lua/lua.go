// Package lua runs scripts as Redis 7 does: Lua 5.1 with Redis's additions and restrictions.
//
// It has its own interpreter because those written in Go can't be bounded: a single one of their instructions may take
// a gigabyte, or any amount of time. Here everything that a script does is counted in steps, which limit its time and
// memory; the same script always gets equally far. It has no coroutines, can't compile code at run time, and reveals
// nothing about the machine.
//
// Recipes don't use it: their scripts are Go functions. engine/stores/redis/port runs it for other programs;
// engine/testing/redisconform compares it with a real Redis.
//
// run.go has the limits, base.go and the files *lib.go the functions.
package lua

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"runtime"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// MostText is the maximum length of a script, in bytes.
const MostText = 64 << 10

// Call executes a script's command. It also returns the command's extra cost in steps.
type Call = func(args []string) (resp.Value, int)

// Program is a compiled script.
type Program struct {
	main *proto
	sha1 string
}

// Compile compiles a script. Errors have Redis's wording.
func Compile(text string) (*Program, error) {
	if len(text) > MostText {
		return nil, fmt.Errorf("ERR this node takes scripts of at most %d bytes", MostText)
	}
	main, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("ERR Error compiling script (new function): %w", err)
	}
	sum := sha1.Sum([]byte(text))
	return &Program{main, hex.EncodeToString(sum[:])}, nil
}

// Run runs the script. As in Redis, a failure doesn't undo what it did before.
func (p *Program) Run(call Call, keys, args []string) (v resp.Value) {
	m := newMachine(call, keys, args)
	defer func() {
		switch e := recover().(type) {
		case nil:
		case thrown:
			v = p.failed(m, e)
		case exhausted:
			v = resp.Err(fmt.Sprintf("ERR Script killed: it took more than the %d steps that this node gives a script.%s",
				MostSteps, p.place(m.line())))
		case runtime.Error: // a bug here must not stop the server
			v = resp.Err("ERR Script killed: the interpreter of this node has failed." + p.place(m.line()))
		default:
			panic(e)
		}
	}()
	ret := m.invoke(&function{proto: p.main}, nil, "?")
	return (&answer{m: m}).of(pick(ret, 0), 0)
}

// failed returns the reply of a script that raised an error.
func (p *Program) failed(m *machine, e thrown) resp.Value {
	at := p.place(cmp.Or(e.line, m.line()))
	if t, is := e.v.(*table); is {
		if s, is := t.get("err").(string); is {
			return resp.Err(line(s) + at)
		}
		return resp.Err("ERR unknown error" + at) // Redis 7.0.15 crashes here
	}
	s, is := text(e.v)
	if !is {
		s = fmt.Sprint(e.v)
		if e.v == nil {
			s = "nil"
		}
	}
	return resp.Err("ERR " + line(s) + at)
}

// place says where a script has ended.
func (p *Program) place(line int) string {
	return fmt.Sprintf(" script: %s, on @user_script:%d.", p.sha1, line)
}
