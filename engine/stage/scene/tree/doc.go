// Package tree plans a subtree of any shape as indented rows. It needs to know nothing about a recipe. Cards are
// package znode's. Package scene calls it.
package tree
