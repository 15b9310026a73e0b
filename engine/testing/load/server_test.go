package load

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"

	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// sample is what the server's process holds just after a garbage collection.
type sample struct {
	heap       int64 // bytes
	rss        int64 // bytes; 0 where the system doesn't tell
	goroutines int64
}

// beServer runs a server until in ends. It prints its address, and answers each further line with a sample.
func beServer(in io.Reader, out io.Writer) error {
	s, err := embed.Listen(embed.Config{MaxConnsPerAddr: -1, Log: os.Stderr})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, s.Addr())
	for lines := bufio.NewScanner(in); lines.Scan(); {
		now := look()
		fmt.Fprintln(out, now.heap, now.rss, now.goroutines)
	}
	return s.Close()
}

func look() sample {
	runtime.GC()
	debug.FreeOSMemory() // a second collection, which empties the pools
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	return sample{heap: int64(heap[0].Value.Uint64()), rss: resident(), goroutines: int64(runtime.NumGoroutine())}
}

// resident returns this process's resident memory according to /proc.
func resident() int64 {
	text, _ := os.ReadFile("/proc/self/statm") // other systems have no such file
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// child is a server that this program started.
type child struct {
	addr string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
}

func startServer() (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self, "-serve")}
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if c.addr, err = c.line(); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

func (c *child) line() (string, error) {
	if !c.out.Scan() {
		return "", fmt.Errorf("the server is gone: %w", io.ErrUnexpectedEOF)
	}
	return strings.TrimSpace(c.out.Text()), nil
}

func (c *child) sample() (s sample, err error) {
	if _, err = io.WriteString(c.in, "\n"); err != nil {
		return s, fmt.Errorf("the server is gone: %w", err)
	}
	text, err := c.line()
	if err == nil {
		_, err = fmt.Sscan(text, &s.heap, &s.rss, &s.goroutines)
	}
	return s, err
}

// stop stops the server as its user would.
func (c *child) stop() {
	_ = c.in.Close() // this ends it
	_ = c.cmd.Wait() // the load is over, so the error doesn't matter
}
