// Package join holds programs with which a reader can join the queue on the screen. There is one for each language,
// with that language's best-known client library. They queue at Path three times, and stay inside for some seconds.
//
// They share one queue because all name their znodes SOMETHING-lock-NUMBER and order them by number.
// engine/testing/clients runs them against the embedded server and Apache ZooKeeper.
package join

import (
	"embed"
	"fmt"
)

// Path is the queue that the programs join.
const Path = "/zkviz/queue"

//go:embed Join.java join.py join.sh gozk/main.go
var files embed.FS

// Program is one of the programs.
type Program struct {
	Language  string // "Java", "Python", "Go" or "Shell"
	Client    string // its library or tool for ZooKeeper
	Name      string // its name in its output: "curator: inside", "curator: leaving"
	File      string // its path in this folder
	Source    string
	Debian    string   // the packages it needs besides the language, empty for none
	Elsewhere string   // the key of what it needs on other systems, empty for nothing
	Command   []string // runs it in this folder, on Debian; a server's address and the seconds inside may follow
	Run       string   // runs it from its file in any shell; a server's address follows
}

// curator is the class path on Debian. Each jar's manifest names its dependencies.
const curator = "/usr/share/java/curator-recipes.jar:/usr/share/java/slf4j-nop.jar"

// Programs returns all programs in display order.
func Programs() ([]Program, error) {
	all := []Program{
		{Language: "Java", Client: "Apache Curator", Name: "curator", File: "Join.java",
			Debian: "default-jdk-headless libcurator-recipes-java", Elsewhere: "zoo.elsewhere.curator",
			Command: []string{"java", "-cp", curator, "Join.java"},
			Run:     `java -cp "${CP:-` + curator + `}" Join.java`},
		{Language: "Python", Client: "kazoo", Name: "kazoo", File: "join.py",
			Debian: "python3-kazoo", Elsewhere: "zoo.elsewhere.kazoo",
			Command: []string{"/usr/bin/python3", "join.py"}, Run: "python3 join.py"},
		{Language: "Go", Client: "go-zookeeper", Name: "go", File: "gozk/main.go",
			Elsewhere: "zoo.elsewhere.go", Command: []string{"go", "run", "./gozk"}, Run: "go mod tidy && go run ."},
		{Language: "Shell", Client: "zkCli.sh", Name: "shell", File: "join.sh",
			Debian: "zookeeper", Elsewhere: "zoo.elsewhere.shell", Command: []string{"bash", "join.sh"}, Run: "bash join.sh"},
	}
	for i := range all {
		text, err := files.ReadFile(all[i].File)
		if err != nil {
			return nil, fmt.Errorf("read the program %s: %w", all[i].File, err)
		}
		all[i].Source = string(text)
	}
	return all, nil
}
