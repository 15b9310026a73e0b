package znode_test

import (
	"fmt"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// TestOrderOfIDs checks the order in which ZooKeeper 3.8.0 answered whoAmI, on a connection from 127.0.0.1.
func TestOrderOfIDs(t *testing.T) {
	for _, c := range []struct {
		secrets []string
		want    string
	}{
		{[]string{"bob:secret", "bob:secret", "joe"},
			"[{digest bob:fyVmFCwVbTJYrznoSu1koqYEYF0=} {ip 127.0.0.1} {digest joe:FqmlTd9CWZUuPBGMdjE46DaT1/0=}]"},
		{[]string{"��:y", "", ":"},
			"[{digest ��:xCdpWujwaz1syMaqU9PzRnjeKq4=} {digest :2jmj7l5rSw0yVb/vlWAYkK/YBwk=} {ip 127.0.0.1} {digest " +
				":BaefBs8/Z/cm2uaNGKIpD2yaUMk=}]"},
	} {
		ids := []zoo.ID{{Scheme: "ip", ID: "127.0.0.1"}}
		for _, secret := range c.secrets {
			id, ok := znode.Authenticate("digest", []byte(secret), "")
			if !ok {
				t.Fatal("digest is not known")
			}
			ids = znode.AddID(ids, id)
		}
		if got := fmt.Sprint(ids); got != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.secrets, got, c.want)
		}
	}
}

// TestSchemes checks ZooKeeper 3.8.0's answers to auth.
func TestSchemes(t *testing.T) {
	for scheme, want := range map[string]bool{
		"digest": true, "ip": true, "world": false, "auth": false, "super": false, "sasl": false, "x509": false, "": false,
	} {
		id, ok := znode.Authenticate(scheme, []byte("x:y"), "10.0.0.1")
		if ok != want {
			t.Errorf("%q: %v, want %v", scheme, ok, want)
		}
		if scheme == "ip" && id.ID != "10.0.0.1" {
			t.Errorf("ip: %v", id)
		}
	}
}
