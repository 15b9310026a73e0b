// Package lua runs scripts as Redis 7 does: Lua 5.1 with what Redis adds to it and takes away.
//
// It is an interpreter of its own because those that there are in Go can't be bounded: one instruction of theirs may
// take a gigabyte, or any amount of time. Here all that a script does is counted in steps, in which its time and its
// memory are limited; the same script always gets as far. It has no coroutines, compiles nothing while it runs, and
// knows nothing of the machine.
//
// It is not for recipes, whose scripts are functions of Go. engine/redis/port runs it for programs of somebody else's;
// engine/redis/conform holds it to a real Redis.
package lua

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"runtime"

	"github.com/zkviz/zkviz/engine/redis/resp"
)

// MostText is how long a script may be, in bytes.
const MostText = 64 << 10

// Call carries out a command of a script. It also returns what that costs in steps, beyond the usual.
type Call = func(args []string) (resp.Value, int)

// Program is a script that can be run.
type Program struct {
	main *proto
	sha1 string
}

// Compile reads a script. The error is as Redis words it.
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

// Run runs it. What it has done before it failed stays done, as in Redis.
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
		case runtime.Error: // a bug here is not to end the server
			v = resp.Err("ERR Script killed: the interpreter of this node has failed." + p.place(m.line()))
		default:
			panic(e)
		}
	}()
	ret := m.invoke(&function{proto: p.main}, nil, "?")
	return (&answer{m: m}).of(pick(ret, 0), 0)
}

// failed is the answer of a script that has raised an error.
func (p *Program) failed(m *machine, e thrown) resp.Value {
	at := p.place(cmp.Or(e.line, m.line()))
	if t, is := e.v.(*table); is {
		if s, is := t.get("err").(string); is {
			return resp.Err(line(s) + at)
		}
		return resp.Err("ERR unknown error" + at) // it ends Redis 7.0.15
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
