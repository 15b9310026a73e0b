package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/attacks"
)

// orders are what the attacker's process is told on its standard input.
type orders struct {
	World attacks.World
	For   time.Duration
	Least time.Duration // an attack that ends sooner is played again, so that there is something to measure
}

// report is a line of what it answers.
type report struct {
	attacks.Finding
	Error string `json:",omitempty"` // what kept it from playing
}

// maxFindings bounds what is taken from one attack; the rest is dropped.
const maxFindings = 100

// aGrace is how long an attack may take to end when its time is over: servers of its own have to stop.
const aGrace = 30 * time.Second

// beAttacker plays one attack as a process of its own, at the lowest priority, so that what is measured is the
// server under attack and not meters that get no processor. It ends when its time is over, or when in does.
func beAttacker(ctx context.Context, name string, in io.Reader, out io.Writer) error {
	if err := yield(); err != nil {
		return fmt.Errorf("take the lowest priority: %w", err)
	}
	found, err := attacks.Find([]string{name})
	if err != nil {
		return err
	}
	var o orders
	from := bufio.NewReader(in)
	line, err := from.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &o)
	}
	if err != nil {
		return fmt.Errorf("read the orders: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.For)
	defer cancel()
	go func() { // ends with this process
		_, _ = io.Copy(io.Discard, from)
		cancel()
	}()
	to := json.NewEncoder(out)
	began, first := time.Now(), true
	o.World.Say = func(f attacks.Finding) {
		if first || f.Broken {
			_ = to.Encode(report{Finding: f}) // the one who reads it is gone otherwise
		}
	}
	for ; ctx.Err() == nil && (first || time.Since(began) < o.Least); first = false {
		if err := found[0].Play(ctx, &o.World); err != nil && ctx.Err() == nil {
			return to.Encode(report{Error: err.Error()})
		}
	}
	return nil
}

// attack has an attack played by a process of its own, and returns what it found. It ends early when stop is closed
// or ctx ends: then the attacker is told to end, and killed with all that it has started if it does not within grace.
func attack(ctx context.Context, a attacks.Attack, o *orders, grace time.Duration, stop <-chan struct{}) (
	found []attacks.Finding, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	longest, kill := context.WithTimeout(context.WithoutCancel(ctx), o.For+grace)
	defer kill()
	cmd := exec.CommandContext(longest, self, "-play", a.Name)
	cmd.SysProcAttr = group()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = time.Minute
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the attacker: %w", err)
	}
	text, err := json.Marshal(o)
	if err == nil {
		_, err = in.Write(append(text, '\n'))
	}
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-stop:
		case <-ctx.Done():
		case <-ended:
		}
		_ = in.Close() // which ends it
		select {
		case <-time.After(grace):
			kill()
		case <-ended:
		}
	})
	for lines := json.NewDecoder(out); ; {
		var r report
		if lines.Decode(&r) != nil {
			break
		}
		if r.Error != "" {
			err = errors.Join(err, errors.New(r.Error))
			continue
		}
		if len(found) < maxFindings {
			found = append(found, r.Finding)
		}
	}
	waited := cmd.Wait()
	close(ended)
	watching.Wait()
	if waited != nil && err == nil {
		err = fmt.Errorf("the attacker ended with %w", waited)
	}
	return found, err
}
