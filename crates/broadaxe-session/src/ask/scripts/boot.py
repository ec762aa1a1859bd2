import sys; sys.path[:] = [p for p in sys.path if p]; exec(compile(sys.stdin.buffer.read(int(sys.argv[1])), "broadaxe", "exec"))
