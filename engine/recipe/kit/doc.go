// Package kit has the building blocks of recipes: the few steps that many of them share.
//
// The recipes themselves are in the packages recipes, the right ones, and recipes/pitfalls, the wrong ones. Like them,
// kit has access only to systems.World.
package kit
