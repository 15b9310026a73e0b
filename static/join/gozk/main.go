// Joins the queue at /zkviz/queue with go-zookeeper, three times.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
)

func main() {
	server, stay := "127.0.0.1:2181", 3*time.Second
	if len(os.Args) > 1 {
		server = os.Args[1]
	}
	if len(os.Args) > 2 {
		seconds, err := time.ParseDuration(os.Args[2] + "s")
		check(err)
		stay = seconds
	}
	conn, _, err := zk.Connect(strings.Split(server, ","), 10*time.Second, zk.WithLogInfo(false))
	check(err)
	defer conn.Close()
	lock := zk.NewLock(conn, "/zkviz/queue", zk.WorldACL(zk.PermAll))
	for range 3 {
		check(lock.LockWithData([]byte("go")))
		fmt.Println("go: inside")
		time.Sleep(stay)
		fmt.Println("go: leaving")
		check(lock.Unlock())
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
