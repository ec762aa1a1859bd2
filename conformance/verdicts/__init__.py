"""Random models beside live engines: is every verdict of `broadaxe check`, and every repair of `broadaxe fix`, right?"""
