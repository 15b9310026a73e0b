// Package message plans and paints the messages under way: those between clients and ZooKeeper, and the letters that
// servers and nodes send to each other. Words give way to each other here. Package remote plans its own messages and
// adds them to the list; package scene calls this one.
package message
