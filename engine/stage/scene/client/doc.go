// Package client plans and paints the clients: their letters, sessions and words, and their connections to ZooKeeper.
// If there are too many clients, they become dots. What a client holds at nodes of other systems it asks package
// remote. It doesn't say where clients stand: package floor does. Package scene calls it.
package client
