package oracle

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	gozk := flag.String("gozk", "", "be clients of go-zookeeper at these servers: for this program's own use")
	flag.Parse()
	if *gozk != "" {
		if err := beGoClients(*gozk, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
