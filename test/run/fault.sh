#!/bin/sh
# fault.sh - an agent for tests that fails in the way that the name of its expert says, and mostly answers when it is asked again.
#
#     sh fault.sh STAGE
#
# STAGE is a folder: prompts are kept in STAGE/prompts, process ids in STAGE/pids.
set -u
stage=$1
sound() { printf '[PERSPECTIVE P01: %s]\nIt works.\n\n[MOVE:CONVERGE]\n' "$CONCLAVE_EXPERT answers"; }
mkdir -p "$stage/prompts" "$stage/pids"
case $CONCLAVE_EXPERT in
deaf) exec 0<&- ;;
*) cat >"$stage/prompts/$CONCLAVE_EXPERT-$CONCLAVE_ATTEMPT.md" ;;
esac
first() { [ "$CONCLAVE_ATTEMPT" = 1 ]; }
case $CONCLAVE_EXPERT in
flaky) if first; then echo "disk is full" >&2; exit 3; fi ;;
killed) if first; then kill -9 $$; fi ;;
slow) if first; then sleep 60; fi ;;
stubborn)
    if first; then
        trap '' TERM
        echo $$ >"$stage/pids/stubborn"
        while :; do sleep 1; done
    fi
    ;;
parent)
    sleep 600 >/dev/null 2>&1 &
    echo $! >"$stage/pids/parent"
    ;;
empty) exit 0 ;;
nothing) echo "NO CONTRIBUTION"; exit 0 ;;
plain) if first; then echo "I think so."; exit 0; fi ;;
mute) echo "I think so."; exit 0 ;;
binary) if first; then printf '\377\376'; exit 0; fi ;;
huge) yes "It goes on and on." | head -c 5000; exit 0 ;;
leaky)
    echo "my key is $FAULT_API_KEY" >&2
    printf '[PERSPECTIVE P01: The key]\nMine is %s, yours is not.\n' "$FAULT_API_KEY"
    exit 0
    ;;
bare) printf '[PERSPECTIVE P01: What I was given]\n%s\n' "$(env | sed 's/=.*//' | sort | tr '\n' ' ')"; exit 0 ;;
esac
sound
