package live_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// Environment variables for a process that carries out a run and is then killed.
const (
	doomedServer = "ZKVIZ_TEST_DOOMED_SERVER"
	doomedRoot   = "ZKVIZ_TEST_DOOMED_ROOT"
)

// furnish creates every kind of znode that a recipe can, and too many for one transaction.
func furnish(c zoo.Client, root string) error {
	for _, path := range []string{"/queue", "/queue/deep", "/queue/deep/x", "/taken", "/many"} {
		if _, err := c.Create(root+path, []byte("ours"), zoo.Persistent); err != nil {
			return err
		}
	}
	for range 100 {
		if _, err := c.Create(root+"/many/n-", nil, zoo.PersistentSequential); err != nil {
			return err
		}
	}
	if _, err := c.Create(root+"/queue/mine-", nil, zoo.EphemeralSequential); err != nil {
		return err
	}
	_, err := c.Multi(zoo.CreateOp(root+"/mine", nil, zoo.Ephemeral),
		zoo.CreateOp(root+"/multi-", nil, zoo.PersistentSequential))
	if err == nil {
		c.Note(furnished)
	}
	return err
}

const furnished = "furnished"

// runDoomed carries out a run that never ends. It prints a line when its root is furnished.
func runDoomed(server, root string) {
	cfg := live.Config{Servers: []string{server}, Root: root, SessionTimeout: 6 * time.Second,
		Parents: []string{root + "/parent/of"}}
	list := []systems.Program{{Main: systems.OnZooKeeper(func(c zoo.Client) error {
		if err := furnish(c, root); err != nil {
			return err
		}
		return c.Sleep(time.Hour)
	})}}
	fmt.Println(live.Run(context.Background(), cfg, list, &recorder{on: func(e event.Event) {
		if e.Kind == event.RecipeNote {
			fmt.Println(e.Text)
		}
	}}, nil))
}

// doomed starts a process with a run that ends only by being killed. It returns once the root is furnished.
func doomed(t *testing.T, srv *zktest.Server, root string) (kill func()) {
	t.Helper()
	cmd := exec.Command(must(os.Executable()))
	cmd.Env = append(os.Environ(), doomedServer+"="+srv.Addr, doomedRoot+"="+root)
	out := must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill() // it may have been killed before
		_ = cmd.Wait()         // reports the kill
	}
	t.Cleanup(kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == furnished {
			return kill
		}
		t.Log(lines.Text())
	}
	t.Fatal("the run ended before its root was furnished")
	return nil
}
