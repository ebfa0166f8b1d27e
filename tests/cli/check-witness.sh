#!/bin/bash
# ripstop check-witness: verdicts, walks, exit codes, and one-line errors that name file and line.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

# verdict CODE TEXT ARGUMENTS...: what check-witness says.
verdict() { says "$1" "$2" check-witness "${@:3}"; }

cat >ring.txt <<'END'
# a ring of four routers; each packet goes two on
certificate 1
fabric torus:4
method dor
faults

deadlock 4
queue 0 0 0 0 2 0x0
queue 1 0 0 1 3 0x0
queue 2 0 0 2 0 0x0
queue 3 0 0 3 1 0x0
END
confirmed='confirmed: a deadlock of 4 queues, each packet of which can come there and waits for the others alone'
verdict 0 "$confirmed" ring.txt
verdict 0 "to 2: 0 > 0 > 1
to 3: 1 > 1 > 2
to 0: 2 > 2 > 3
to 1: 3 > 3 > 0
$confirmed" --walk ring.txt
verdict 0 "$confirmed
loaded: 16 packets stand still for 10000 cycles; the search of the live buffers finds these 4 queues" --simulate ring.txt

sed 's/^method .*/method dor:bubble=on/' ring.txt >bubble.txt
verdict 1 "refuted: queue 0 port 0 channel 0 (to 1) is in a bubble ring whose packets all go on in it: one of them has a \
free place before it" bubble.txt
sed 's/^faults/faults 1\/0/' ring.txt >faulty.txt
verdict 1 "refuted: queue 1 port 0 channel 0 (to 2) has failed" faulty.txt
sed 's/^queue 2 .*/queue 1 0 0 1 3 0x0/' ring.txt >twice.txt
verdict 1 "refuted: queue 1 port 0 channel 0 (to 2) is named twice" twice.txt
sed 's/2 0 0x0$/2 0 0x1/' ring.txt >header.txt
verdict 1 "refuted: packet 2 -> 0 header 0x1 in queue 2 port 0 channel 0 (to 3) cannot come there" header.txt
sed 's/2 0 0x0$/2 3 0x0/' ring.txt >consumed.txt
verdict 1 "refuted: packet 2 -> 3 header 0x0 in queue 2 port 0 channel 0 (to 3) is consumed there" consumed.txt
sed '/^queue 3/d; s/^deadlock 4/deadlock 3/' ring.txt >open.txt
verdict 1 "refuted: packet 2 -> 0 header 0x0 in queue 2 port 0 channel 0 (to 3) need not wait for queues of the set" open.txt

cat >order.txt <<'END'
certificate 1
fabric kary-ntree:k=2,n=2
method updown
faults 0/0/2
free 5
queue 1/1 0 0
queue 1/1 1 0
queue 0/0 3 0
queue 0/1 2 0
queue 0/1 3 0
END
verdict 0 "confirmed: no deadlock; in the order of 5 queues none of 22 heads waits for later ones alone" order.txt
sed '/^queue 1.1 0/d; $a queue 1/1 0 0' order.txt >swapped.txt
verdict 1 "refuted: packet 1.0 -> 0.0 header 0x0 in queue 0/1 port 3 channel 0 (to 1/1) has no candidate into an earlier queue" \
  swapped.txt
# A proof of freedom has nothing to walk or to simulate; it is checked all the same.
free="confirmed: no deadlock; in the order of 5 queues none of 22 heads waits for later ones alone"
says 0 "$free"$'\nwalk: nothing to walk: the certificate is of freedom from deadlock' check-witness --walk order.txt
says 0 "$free"$'\nloaded: nothing to simulate: the certificate is of freedom from deadlock' check-witness --simulate order.txt

# bad LINE MESSAGE SED: ring.txt, altered, is refused with that line.
bad() {
  sed "$3" ring.txt >bad.txt
  refused "bad.txt:$1: $2" check-witness bad.txt
}
bad 2 "this program reads 'certificate 1'" 's/^certificate 1/certificate 2/'
bad 3 "fabric 'torsu' is unknown; did you mean 'torus'?" 's/^fabric torus/fabric torsu/'
bad 3 "'certificate ...' should be here, not 'fabric'" '/^certificate/d;1i # one line more'
bad 5 "no link '9/9'" 's/^faults/faults 9\/9/'
bad 7 "'deadlock ...' or 'free ...' should be here, not 'livelock'" 's/^deadlock/livelock/'
bad 8 "there is no switch 'x'" 's/^queue 0 0/queue x 0/'
bad 8 "port 2 of '0' leads to no switch" 's/^queue 0 0/queue 0 2/'
bad 8 "port 3 of '0' leads to no switch" 's/^queue 0 0/queue 0 3/'
bad 9 "there is no end node '7'" 's/1 3 0x0/1 7 0x0/'
bad 9 "source and destination are the same" 's/1 3 0x0/1 1 0x0/'
bad 10 "'0xZ' is no header word" 's/2 0 0x0/2 0 0xZ/'
bad 10 "queue SWITCH PORT CHANNEL SOURCE DESTINATION HEADER: 6 words should follow" 's/2 0 0x0/2 0/'
bad 11 "5 queues are announced, 4 are there" 's/^deadlock 4/deadlock 5/'
refused "method 'door' is unknown; did you mean 'dor'?" check-witness <(sed 's/^method dor/method door/' ring.txt)
refused "misroute is for fat trees" check-witness <(sed 's/^method dor/method misroute/' ring.txt)
refused "no-such.txt" check-witness no-such.txt
refused "an argument is missing" check-witness
"$RIPSTOP" check-witness --help | grep -q -- --simulate || complain "--simulate has no help"
"$RIPSTOP" help | grep -q '^  check-witness ' || complain "help does not know check-witness"
finish
