package connstring_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/zookeeper/connstring"
)

// TestParse checks each form of an address.
func TestParse(t *testing.T) {
	const cfg = "# three of us\ntickTime=2000\nclientPort=2199\nserver.1=a:2888:3888\n" +
		"server.2 = b:2888:3888:observer;2182\nserver.3=[fd00::3]:2888:3888;0.0.0.0:2183\n" +
		"server.4=d:2888:3888|e:2889:3889;10.0.0.4:2184\nserver.5=f:2888:3888;[::]:2185\nauthProvider.sasl=x\n"
	for text, want := range map[string]string{
		"a:1":                        "a:1",
		"a":                          "a:2181",
		"a:1,b:2/app":                "a:1,b:2/app",
		"a, b:2 ,\n c":               "a:2181,b:2,c:2181",
		"a:1,a:1,":                   "a:1",
		"a:1 b:2":                    "a:1,b:2",
		"zk://a,b/app":               "a:2181,b:2181/app",
		"ZooKeeper://a:7/":           "a:7",
		"a/app/deep/":                "a:2181/app/deep",
		" [::1]:3,[fe80::1%eth0]/é ": "[::1]:3,[fe80::1%eth0]:2181/é",
		"zk_1.example-a.org:02181":   "zk_1.example-a.org:2181",
		"bücher":                     "bücher:2181",
		"server.1=a:2888:3888;2182":  "a:2182",
		"server.1=a:2888:3888,server.2=b:2888:3888;3": "a:2181,b:3",
		"server.1=[::1]:2888:3888":                    "[::1]:2181",
		cfg:                                           "a:2199,b:2182,[fd00::3]:2183,10.0.0.4:2184,f:2185",
	} {
		got, err := connstring.Parse(text)
		if err != nil || got.String() != want {
			t.Errorf("%q is read as %q, %v; not %q", text, got, err, want)
			continue
		}
		if again, err := connstring.Parse(got.String()); err != nil || again.Chroot != got.Chroot ||
			!slices.Equal(again.Servers, got.Servers) {
			t.Errorf("%q, read again, is %q, %v", got, again, err)
		}
	}
}

// TestBad checks the errors for text that is not an address.
func TestBad(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "connect.none",
		" , ":                       "connect.none",
		"/app":                      "connect.none",
		"http://a:80/":              "connect.scheme(\"http\")",
		"https://a":                 "connect.scheme",
		"zk://u:geheim@a/app":       "connect.secret",
		"u:geheim@a":                "connect.secret",
		"a:0":                       "connect.port",
		"a:65536":                   "connect.port",
		"a:+1":                      "connect.port",
		"a:http":                    "connect.port(\"a:http\", \"http\")",
		"a:":                        "connect.server",
		":2181":                     "connect.server",
		"-a":                        "connect.server",
		"a?b":                       "connect.server",
		"a\x1b[31m":                 "connect.server",
		"a:1:2":                     "connect.server",
		"::1":                       "connect.brackets",
		"fe80::1:2181":              "connect.brackets",
		"[::1":                      "connect.server",
		"[::1]2181":                 "connect.server",
		"[::1]:":                    "connect.server",
		"[a]:1":                     "connect.server",
		"a:1/app,b:2":               "connect.middle(\"/app\")",
		"a:1/app b:2":               "connect.middle",
		"a//app":                    "connect.path",
		"a/../b":                    "connect.path",
		"a/b\x00":                   "connect.path",
		"server.1=a":                "connect.line",
		"server.1=a:2888":           "connect.line",
		"server.1=a:1:2;0":          "connect.port",
		"server.1=[::1:1:2":         "connect.line",
		"server.1=a:1:2;[::x]:1":    "connect.line",
		strings.Repeat("a", 254):    "connect.server",
		strings.Repeat("a,", 99999): "connect.long",
	} {
		got, err := connstring.Parse(text)
		if err == nil || !strings.HasPrefix(err.Error(), "bad."+want) {
			t.Errorf("%.40q is read as %v, %v; want %s", text, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("it says the password: %v", err)
		}
	}
}

// FuzzParse checks that an address survives String and Parse.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a:1,b/app", "zk://[::1]:2/", "server.1=a:1:2;3\nclientPort=4",
		"server.1=[a:b]:1:2;[::]:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := connstring.Parse(text)
		if err != nil {
			return
		}
		again, err := connstring.Parse(a.String())
		if err != nil || !slices.Equal(a.Servers, again.Servers) || a.Chroot != again.Chroot {
			t.Errorf("%q is %q, and that is %q, %v", text, a, again, err)
		}
	})
}
