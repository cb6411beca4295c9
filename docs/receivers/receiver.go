//go:build ignore

// A webhook receiver: WEBHOOK_SECRET=whsec_… PORT=8080 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Secrets, separated by a space. During a rotation there may be two.
var secrets = strings.Fields(os.Getenv("WEBHOOK_SECRET"))

func main() {
	if len(secrets) == 0 {
		log.Fatal("set WEBHOOK_SECRET")
	}
	go work()
	http.HandleFunc("POST /webhooks", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

func receive(w http.ResponseWriter, r *http.Request) {
	// The signature is over the bytes as they arrived: read them before anything parses them.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !genuine(r.Header, body, time.Now()) {
		http.Error(w, "not accepted", http.StatusUnauthorized)
		return
	}
	store(r.Header.Get("Webhook-Id"), body)
	w.WriteHeader(http.StatusOK) // at once: the limit is 10 seconds, and only 200 counts
}

func genuine(header http.Header, body []byte, now time.Time) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	age := now.Unix() - seconds
	if err != nil || age > 300 || age < -60 {
		return false // more than 5 minutes old, or more than 1 minute ahead
	}
	sent := strings.Split(header.Get("X-Service-Signature")+","+header.Get("X-Service-Signature-Previous"), ",")
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamp + "."))
		mac.Write(body)
		want := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, signature := range sent {
			if hmac.Equal([]byte(strings.TrimSpace(signature)), want) { // constant time
				return true
			}
		}
	}
	return false
}

// The inbox. In production this is a table with a unique index on the event's id, so that an event that comes twice is
// stored once, and one that was stored is processed even if this program is restarted.
var (
	mu    sync.Mutex
	seen  = map[string]bool{}
	inbox = make(chan []byte, 1000)
)

func store(id string, body []byte) {
	mu.Lock()
	defer mu.Unlock()
	if !seen[id] {
		seen[id] = true
		inbox <- body
	}
}

func work() {
	for body := range inbox {
		var payload struct{ Event, Type string } // shape A has `event`, shape B has `type`
		if err := json.Unmarshal(body, &payload); err != nil {
			log.Println("not JSON:", err)
			continue
		}
		log.Println("received", payload.Event+payload.Type)
	}
}
