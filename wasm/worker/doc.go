// Package worker is what the programs in a page's workers share: messages to and from the page.
//
// It knows no kind of message. wasm/engine and wasm/story call it.
package worker
