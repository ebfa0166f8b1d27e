Creator "yFiles"
Version 2
graph
[
]
