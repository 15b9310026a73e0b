package wire_test

import (
	"net"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/etcd/wire"
	"github.com/zkviz/zkviz/engine/stores/remote"
	"github.com/zkviz/zkviz/engine/testing/etcdtest"
)

// TestCalls makes a call of each kind, and checks the text of the replies and the notification of a watch.
func TestCalls(t *testing.T) {
	a, err := wire.Parse(etcdtest.Start(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.Dial(t.Context(), (&net.Dialer{}).DialContext)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	var lease etcd.LeaseID
	ask := func(c etcd.Call) remote.Reply {
		t.Helper()
		if err := k.Send(etcd.Request(&c)); err != nil {
			t.Fatalf("%s: %v", &c, err)
		}
		r, p, err := k.Receive()
		if err != nil || p != nil {
			t.Fatalf("%s: %v, push %v", &c, err, p)
		}
		return *r
	}
	if a, ok := ask(etcd.Call{Kind: etcd.Grant, TTL: 60}).Body.(*etcd.Answer); !ok || a.TTL != 60 || a.Lease == 0 {
		t.Fatalf("granted %+v", a)
	} else {
		lease = a.Lease
	}
	look := etcd.Op{Kind: etcd.Get, Key: "/l/", Pick: etcd.FirstCreated}
	queue := func(key string) etcd.Call {
		return etcd.Call{If: []etcd.Condition{{Key: key}},
			Then: []etcd.Op{{Kind: etcd.Put, Key: key, Value: "v", Lease: lease}, look},
			Else: []etcd.Op{{Kind: etcd.Get, Key: key}, look}}
	}
	for i, c := range []struct {
		call etcd.Call
		want string
	}{
		{queue("/l/1"), "SUCCESS; OK; /l/1 = v (created 2)"},
		{queue("/l/1"), "FAILURE; /l/1 = v (created 2); /l/1 = v (created 2)"},
		{queue("/l/2"), "SUCCESS; OK; /l/1 = v (created 2)"},
		{etcd.Call{Then: []etcd.Op{{Kind: etcd.Get, Key: "/l/", Pick: etcd.LastCreated, Before: 3}}}, "/l/1 = v (created 2)"},
		{etcd.Call{Then: []etcd.Op{{Kind: etcd.Get, Key: "/l/", Pick: etcd.LastCreated, Before: 2}}}, "(none)"},
		{etcd.Call{Kind: etcd.KeepAlive, Lease: lease}, "lease " + lease.String() + " keepalived with TTL(60)"},
		{etcd.Call{Kind: etcd.KeepAlive, Lease: 12}, "lease c expired or revoked"},
		{etcd.Call{Kind: etcd.Watch, Key: "/l/1", From: 4}, "watching"},
		{etcd.Call{Kind: etcd.Watch, Key: "/l/2", From: 4}, "watching"},
		{etcd.Call{Then: []etcd.Op{{Kind: etcd.Delete, Key: "/l/1"}}}, "1 deleted"},
		{etcd.Call{Then: []etcd.Op{{Kind: etcd.Delete, Key: "/l/1"}}}, "0 deleted"},
		{etcd.Call{Then: []etcd.Op{{Kind: etcd.Put, Key: "/d", Value: "x", Lease: 12}}}, string(etcd.ErrLeaseNotFound)},
		{etcd.Call{Then: []etcd.Op{{Kind: etcd.Put, Key: "/d", Value: "x"}}}, "OK"},
	} {
		if got := ask(c.call).Text; got != c.want {
			t.Errorf("%d, %s: %s, want %s", i, &c.call, got, c.want)
		}
	}
	if err := k.Send(etcd.Request(&etcd.Call{Kind: etcd.Revoke, Lease: lease})); err != nil {
		t.Fatal(err)
	}
	revoked, told := false, ""
	for range 2 { // in any order
		switch r, p, err := k.Receive(); {
		case err != nil:
			t.Fatal(err)
		case r != nil:
			revoked = !r.Failed
		default:
			told = p.Path
		}
	}
	if !revoked || told != "/l/2" {
		t.Errorf("revoked %t, told of %q", revoked, told)
	}
}
