package apache_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// TestPortTaken restarts a server while another program has its port, as may happen to any free port.
func TestPortTaken(t *testing.T) {
	zktest.Need(t)
	s, err := apache.Start(apache.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Kill()
	other, err := net.Listen("tcp", s.Addr)
	if err != nil {
		t.Skipf("somebody else was faster: %v", err)
	}
	back := make(chan error, 1)
	go func() { back <- s.Again() }()
	for end := time.Now().Add(10 * time.Minute); !strings.Contains(s.Log(),
		"already in use"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the server does not say that its port is taken:\n%s", s.Log())
		}
	}
	other.Close()
	if err := <-back; err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Minute); !strings.Contains(s.Word("srvr"),
		"Mode: standalone"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not serve")
		}
	}
}
