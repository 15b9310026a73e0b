package port_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/redis/port"
	"github.com/zkviz/zkviz/engine/testing/need"
	"github.com/zkviz/zkviz/engine/testing/redisconform"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

// release is the script with which redis.io recommends to release a lock.
const release = `if redis.call("get",KEYS[1]) == ARGV[1] then
    return redis.call("del",KEYS[1])
else
    return 0
end`

// TestClients runs the locks that people use at a real Redis, which shows that the checks are right, and then here.
// Both must give the output in testdata.
func TestClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds clients, and tries each on two servers")
	}
	for _, c := range []struct {
		name    string
		command func(t *testing.T, host, port string) *exec.Cmd
	}{
		{"lock", redisPy}, {"golocks", goLocks}, {"redlock", nodeRedlock}, {"cli", redisCLI},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, err := os.ReadFile("testdata/" + c.name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range []struct{ name, addr string }{
				{"a real Redis", redistest.Start(t).Addr()}, {"the port", serve(t, port.Config{})},
			} {
				host, number, err := net.SplitHostPort(at.addr)
				if err != nil {
					t.Fatal(err)
				}
				out, err := c.command(t, host, number).CombinedOutput()
				if err != nil || !bytes.Equal(out, want) {
					t.Errorf("at %s: %v; it says\n%s\nwant\n%s", at.name, err, out, want)
				}
			}
		})
	}
}

func redisPy(t *testing.T, _, port string) *exec.Cmd {
	const python, at = "/usr/bin/python3", "/usr/lib/python3/dist-packages/redis/lock.py"
	if _, err := os.Stat(at); err != nil {
		need.Installed(t, errors.New("python3-redis is not installed"))
	}
	return exec.CommandContext(t.Context(), python, "-B", "testdata/lock.py", port)
}

// goLocks builds a program with redislock and redsync, in a Go module of its own.
func goLocks(t *testing.T, host, port string) *exec.Cmd {
	program := filepath.Join(t.TempDir(), "golocks")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = "testdata/golocks"
	if out, err := build.CombinedOutput(); err != nil {
		need.Installed(t, errors.New("golocks can't be built: "+string(out)))
	}
	return exec.CommandContext(t.Context(), program, net.JoinHostPort(host, port))
}

func nodeRedlock(t *testing.T, host, port string) *exec.Cmd {
	modules, err := filepath.Abs("../../../../out/redlock/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules + "/redlock"); err != nil {
		t.Skip("redlock is not installed by .ci/deps") // without npm, as for axe-core
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/redlock.js", host, port)
	cmd.Env = append(cmd.Environ(), "NODE_PATH="+modules)
	return cmd
}

// redisCLI releases a lock with redis-cli and EVAL.
func redisCLI(t *testing.T, host, port string) *exec.Cmd {
	redistest.Need(t)
	const ask = `at="-h $1 -p $2"
redis-cli $at set lock me nx px 600000
redis-cli $at eval "$3" 1 lock you
redis-cli $at eval "$3" 1 lock me
redis-cli $at eval "$3" 1 lock me
redis-cli $at eval "return {KEYS[1], ARGV[1], 3.7, {ok='FINE'}}" 1 a b
redis-cli $at eval "return redis.call('nosuch')" 0
redis-cli $at script load "$3"
redis-cli $at evalsha 647c65a442733a1aa440f99908d249d13b4d6c4a 1 lock me`
	return exec.CommandContext(t.Context(), "sh", "-c", ask, "sh", host, port, release)
}

// redisson has the scripts of testdata/redisson.
var redisson = map[string]string{
	"<lock>": `local free = redis.call('exists', KEYS[1]) == 0
if free or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])`,
	"<renew>": `local mine = redis.call('hexists', KEYS[1], ARGV[2]) == 1
if mine then redis.call('pexpire', KEYS[1], ARGV[1]) end
return mine and 1 or 0`,
	"<unlock>": `if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then return nil end
local left = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if left > 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], ARGV[1])
return 1`,
	"<force>": `if redis.call('del', KEYS[1]) == 1 then
  redis.call('publish', KEYS[2], ARGV[1])
  return 1
end
return 0`,
}

// TestRedisson plays what Redisson's lock sends at a real Redis and here: all replies and messages must be equal.
func TestRedisson(t *testing.T) {
	file, err := os.ReadFile("testdata/redisson")
	if err != nil {
		t.Fatal(err)
	}
	var script []redisconform.Step
	for line := range strings.Lines(string(file)) {
		who, words, is := strings.Cut(strings.TrimSpace(line), ": ")
		if !is || len(who) != 1 {
			continue
		}
		args := strings.Fields(words)
		for i, a := range args {
			if text, is := redisson[a]; is {
				args[i] = text
			}
		}
		script = append(script, redisconform.Step{Conn: int(who[0] - 'A'), Args: args})
	}
	if len(script) == 0 {
		t.Fatal("there are no steps")
	}
	real, err := redisconform.Dial(redistest.Start(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	here, err := redisconform.Connect(serve(t, port.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	if d, err := redisconform.Play(script, real, here); d != nil || err != nil {
		t.Errorf("a real Redis in the place of the simulated one, and the port in that of the real one: %v, %v", d, err)
	}
}
