// Package znode plans and paints znodes: ZooKeeper's box, the root, standalone znodes, and the cards that packages
// queue and tree have placed. It doesn't say where they stand.
package znode
