package main

import (
	"strings"
	"testing"
)

// TestClusters reads a file of clusters, and checks that errors don't reveal its values.
func TestClusters(t *testing.T) {
	secret := written(t, "digest:ann:"+planted+"\n")
	longest := "é 2" + strings.Repeat("-", maxClusterName-3)
	all, err := clustersFlag{Clusters: written(t, `
[[cluster]]
name = "production"
zk = "a,b:2/app"
auth-file = "`+secret+`"
tls = true
observe-ensemble = ["a:2888", "b:2888"]
observe-ensemble-tls = true

[[cluster]]
name = "`+longest+`"
zk = "zk://c"
`)}.named()
	if err != nil || len(all) != 2 || all[0].On.Access.Chroot != "/app" || len(all[0].On.Access.Auth) != 1 ||
		all[0].On.Access.TLS == nil || all[1].Name != longest || all[1].On.Servers[0] != "c:2181" ||
		all[1].On.Access.TLS != nil || len(all[0].join.Join) != 2 || !all[0].join.JoinTLS || len(all[1].join.Join) != 0 {
		t.Errorf("it reads %+v, %v", all, err)
	}
	for text, want := range map[string]string{
		"":                              "has 0 clusters",
		"[[cluster]]\nname='" + planted: "line 2",
		"[[cluster]]\nname=\"a\"\npassword=\"" + planted + "\"":                "unknown key cluster.password",
		"[[cluster]]\nname=\"<a>\"\nzk=\"a\"":                                  "cluster 1: its name must have",
		"[[cluster]]\nname=\"" + longest + "-\"\nzk=\"a\"":                     "cluster 1: its name must have",
		"[[cluster]]\nname=\"a\"":                                              "cluster 1: zk: it names no server",
		"[[cluster]]\nname=\"a\"\nzk=\"http://a\"":                             "is not the scheme of a ZooKeeper",
		"[[cluster]]\nname=\"a\"\nzk=\"a\"\n[[cluster]]\nname=\"a\"\nzk=\"b\"": "cluster 2: another cluster has the same",
		"[[cluster]]\nname=\"a\"\nzk=\"a\"\nauth-file=\"/nowhere\"":            "auth-file: open /nowhere: no such file",
		"[[cluster]]\nname=\"a\"\nzk=\"a\"\ntls-key=\"k\"":                     "tls-key needs the key tls-cert beside it",
		"[[cluster]]\nname=\"a\"\nzk=\"a\"\nobserve-ensemble-tls-key=\"k\"": "observe-ensemble-tls-key needs the key " +
			"observe-ensemble-tls-cert beside it",
		"[cluster]\nname=\"" + planted + "\"": "has values of the wrong type",
	} {
		_, err := clustersFlag{Clusters: written(t, text)}.named()
		if err == nil || !strings.Contains(voice().Error(err), want) || strings.Contains(err.Error(), planted) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
